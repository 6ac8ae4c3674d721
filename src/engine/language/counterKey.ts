/** Computes the key of a counter from the values of the names in it. */

import type { CounterPart } from './counters.ts'
import {
  evaluateEmailDomain,
  evaluateNetwork,
  evaluatePrefix,
} from './operators/domainFunctions.ts'

/** The text under a name; undefined when it did not arrive. */
export type FindText = (name: string) => string | undefined

/**
 * The values of the parts; undefined when one did not arrive, or has not the form that its function reads. `countryOf`
 * answers for `phoneCountry`, whose table the engine does not have.
 */
export function computeKey(
  by: readonly CounterPart[],
  findText: FindText,
  countryOf: (number: string) => string | undefined,
): readonly string[] | undefined {
  const values: string[] = []
  for (const part of by) {
    const text = findText(part.name)
    const value = text === undefined || text === '' ? undefined : computePart(part, text, countryOf)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

function computePart(
  { function: of, chars = 0 }: CounterPart,
  text: string,
  countryOf: (number: string) => string | undefined,
): string | undefined {
  switch (of) {
    case 'network':
      return evaluateNetwork(text)
    case 'emailDomain':
      return evaluateEmailDomain(text)
    case 'phoneCountry':
      return countryOf(text)
    case 'prefix':
      return evaluatePrefix(text, chars)
    default:
      return text
  }
}
