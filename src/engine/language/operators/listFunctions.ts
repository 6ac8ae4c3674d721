/**
 * Defines `inList`, whose answer is read from the list before the rule runs.
 * So the answer is evidence, recorded and replayed like any other.
 */

import { type Operation, operation } from './operation.ts'

/** What a stored expression calls it. */
export const inListId = 'inList(string, string)'

export const listFunctions: readonly Operation[] = [
  // never applied: the answer is looked up by the text of the call
  operation('inList(string, string): bool', () => undefined, { fails: true }),
]
