/** Defines `inList`, answered from the list before the rule runs, so that the answer is evidence. */

import { type Operation, operation } from './operation.ts'

/** What a stored expression calls it. */
export const inListId = 'inList(string, string)'

export const listFunctions: readonly Operation[] = [
  // never applied: the answer is looked up by the text of the call
  operation('inList(string, string): bool', () => undefined, { fails: true }),
]
