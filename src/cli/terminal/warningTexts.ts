/** Formats the warnings of a response for people. */

import { type Paint, printable } from './screen.ts'

/** One warning of an answer. */
export interface Told {
  readonly path?: unknown
  readonly message?: unknown
}

/** The warnings of an answer, which has none when there is nothing to warn of. */
export function warningsOf(body: { readonly warnings?: unknown }): readonly Told[] {
  return Array.isArray(body.warnings) ? (body.warnings as readonly Told[]) : []
}

/** A line for each: where it stands, and what. */
export function warningTexts(warnings: readonly Told[], paint: Paint): readonly string[] {
  return warnings.map(
    ({ path, message }) =>
      `${paint('yellow', 'warning:')} ${printable(String(path))}: ${printable(String(message))}`,
  )
}
