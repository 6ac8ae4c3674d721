/** Ids of rules, recipes and flows as arguments. */

import { usageError } from '../terminal/cliError.ts'
import { isIdOf, type Kind, kindFacts } from './folder/kind.ts'

/** The id. Throws `usage` for a text that does not have the form of one. */
export function idArgument(kind: Kind, text: string): string {
  if (isIdOf(kind, text)) return text
  const { noun, prefix } = kindFacts[kind]
  throw usageError(`"${text}" is not the id of a ${noun} (${prefix}_…).`)
}
