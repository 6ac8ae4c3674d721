/** Suggests the intended function for an unknown function name. */

import { nearest } from '../../../domain/text/nearest.ts'
import { functionNames, signaturesOf, styleOf } from '../operators/table.ts'

const loops = ['exists', 'all']
const known: readonly string[] = [...functionNames, 'has', ...loops]

/** Names in other languages. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ...['length', 'len', 'count'].map((name) => [name, 'size'] as const),
  ...['lower', 'tolower', 'lowercase', 'tolowercase'].map((name) => [name, 'lowerAscii'] as const),
  ...['upper', 'toupper', 'uppercase', 'touppercase'].map((name) => [name, 'upperAscii'] as const),
  ...['includes', 'include', 'has'].map((name) => [name, 'contains'] as const),
  ...['match', 'regex', 'regexp', 'like', 'test'].map((name) => [name, 'matches'] as const),
  ...['any', 'some'].map((name) => [name, 'exists'] as const),
  ['every', 'all'],
  ...['cidr', 'iprange', 'insubnet'].map((name) => [name, 'inCidr'] as const),
  ...['tostring', 'str', 'text'].map((name) => [name, 'string'] as const),
  ...['toint', 'parseint', 'integer'].map((name) => [name, 'int'] as const),
  ...['float', 'number', 'tonumber', 'parsefloat'].map((name) => [name, 'double'] as const),
  ...['boolean', 'tobool'].map((name) => [name, 'bool'] as const),
  ...['date', 'datetime', 'time'].map((name) => [name, 'timestamp'] as const),
  ...['getyear', 'year'].map((name) => [name, 'getFullYear'] as const),
  ...['getday', 'weekday', 'dayofweek'].map((name) => [name, 'getDayOfWeek'] as const),
  ['domain', 'emailDomain'],
  ['country', 'phoneCountry'],
])

/** The function nearest to the name, as it is written; undefined when none is near. */
export function functionMeant(name: string): string | undefined {
  const plain = name.replaceAll('_', '').toLowerCase()
  if (plain === 'now') return 'request.time'
  const meant = synonyms.get(plain) ?? nearest(name, known)
  return meant === undefined ? undefined : writtenForm(meant)
}

/** The form in which a function is called. */
export function writtenForm(name: string): string {
  if (loops.includes(name)) return `[…].${name}(x, …)`
  const more = signaturesOf(name, 1).length > 0 ? '' : '…'
  return styleOf(name) === 'receiver' ? `x.${name}(${more})` : `${name}(…)`
}
