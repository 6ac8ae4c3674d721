/** The parameters of a query as they were sent, each once and each known. */

import type { FailureDetail } from '../../domain/failure.ts'
import { unknownName } from './unknownName.ts'

/** The text of each parameter that was given. */
export type QueryTexts = Readonly<Record<string, string | undefined>>

/** More than any route knows. */
const parametersMax = 50

/**
 * The parameters of a query without its question mark. One that is not among the known ones, that is given twice, or that is not
 * percent-encoded UTF-8 is left out and added to the details, under its name; so is a query of too many, which is not read.
 */
export function readQueryTexts(
  query: string,
  known: readonly string[],
  details: FailureDetail[],
): QueryTexts {
  const texts: Record<string, string> = Object.create(null)
  if (query === '') return texts
  const pairs = query.split('&').filter((pair) => pair !== '')
  if (pairs.length > parametersMax) {
    details.push({ path: '', message: `Must have at most ${parametersMax} parameters.` })
    return texts
  }
  for (const pair of pairs) {
    const { name, text } = readPair(pair)
    const problem = problemOf({ name, text }, known, texts)
    if (problem !== undefined) details.push({ path: name, message: problem })
    else if (text !== undefined) texts[name] = text
  }
  return texts
}

interface Pair {
  readonly name: string
  /** Undefined when it is not encoded as it must be. */
  readonly text: string | undefined
}

function readPair(pair: string): Pair {
  const equals = pair.indexOf('=')
  const name = equals < 0 ? pair : pair.slice(0, equals)
  const text = equals < 0 ? '' : pair.slice(equals + 1)
  return { name: decoded(name) ?? name, text: decoded(text) }
}

function problemOf(
  { name, text }: Pair,
  known: readonly string[],
  texts: QueryTexts,
): string | undefined {
  if (!known.includes(name)) return unknownName('parameter', name, known)
  if (text === undefined) return 'Must be percent-encoded UTF-8.'
  return texts[name] === undefined ? undefined : 'Must be given once.'
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // the only thing it throws: a URIError for what is not the encoding of a text
    return undefined
  }
}
