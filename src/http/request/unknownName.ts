/** What is said of a name that nothing has. */

import { nearest } from '../../domain/nearest.ts'
import { shortened } from './shortened.ts'

/** Names that are told; a list of more would help nobody. */
const namesTold = 30
const lengthTold = 64

/** A sentence with the name, the one that was probably meant, and those that there are. */
export function unknownName(
  kind: 'parameter' | 'field',
  given: string,
  known: readonly string[],
): string {
  const name = shortened(given, lengthTold)
  const meant = nearest(given, known)
  const guess = meant === undefined ? '.' : `; did you mean ${meant}?`
  return `There is no ${kind} ${name}${guess} ${knownSentence(known)}`
}

function knownSentence(known: readonly string[]): string {
  if (known.length === 0) return 'None is known here.'
  const more = known.length > namesTold ? ', …' : ''
  return `Known: ${known.slice(0, namesTold).join(', ')}${more}.`
}
