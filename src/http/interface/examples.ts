/** Loads recorded OpenAPI examples; see `test/journeys/interfaceExamples.test.ts`. */

import recorded from './examples.json' with { type: 'json' }

export interface Example {
  /** Of the path and the query, as they stand in the address. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly request?: unknown
  /** Of the answer. */
  readonly status: number
  readonly answer?: unknown
  /** By status: errors that the operation answers. */
  readonly refusals?: Readonly<Record<string, unknown>>
}

export type Examples = Readonly<Record<string, Example>>

/** By operation id. */
export const recordedExamples: Examples = recorded
