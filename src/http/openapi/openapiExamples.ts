/** Loads the OpenAPI examples recorded by `test/journeys/interfaceExamples.test.ts`. */

import recorded from './openapiExamples.json' with { type: 'json' }

export interface OperationExample {
  /** Of the path and the query, as they stand in the address. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly request?: unknown
  /** Of the answer. */
  readonly status: number
  readonly answer?: unknown
  /** By status: errors that the operation answers. */
  readonly refusals?: Readonly<Record<string, unknown>>
}

export type OperationExamples = Readonly<Record<string, OperationExample>>

/** By operation id. */
export const recordedExamples: OperationExamples = recorded
