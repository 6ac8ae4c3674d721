/** Formats the warnings of a response for people. */

import { type Paint, printable } from './screen.ts'

/** One warning of an answer. */
export interface Told {
  readonly path?: unknown
  readonly message?: unknown
}

/** The warnings of an answer; empty when it has none. */
export function warningsOf(body: { readonly warnings?: unknown }): readonly Told[] {
  return Array.isArray(body.warnings) ? (body.warnings as readonly Told[]) : []
}

/** A line per warning: its path and message. */
export function warningTexts(warnings: readonly Told[], paint: Paint): readonly string[] {
  return warnings.map(
    ({ path, message }) =>
      `${paint('yellow', 'warning:')} ${printable(String(path))}: ${printable(String(message))}`,
  )
}
