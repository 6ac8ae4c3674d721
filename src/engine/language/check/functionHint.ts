/** Suggests the function meant by an unknown name, and formats how a function is called. */

import { nearestName } from '../../../domain/text/nearestName.ts'
import { counterKinds } from '../counters.ts'
import { findCallStyle, functionNames, listSignatures } from '../operators/operationTable.ts'

const loops = ['exists', 'all']
const valueFunctions: readonly string[] = [...functionNames, 'has', ...loops]
const suggestedNames: readonly string[] = [...valueFunctions, ...counterKinds]

/** Names in other languages, in lower case, by function. */
const otherNames: Readonly<Record<string, string>> = {
  size: 'length len count',
  network: 'subnet',
  prefix: 'left substr substring',
  lowerAscii: 'lower tolower lowercase tolowercase',
  upperAscii: 'upper toupper uppercase touppercase',
  contains: 'includes include has',
  matches: 'match regex regexp like test',
  exists: 'any some',
  all: 'every',
  inCidr: 'cidr iprange insubnet',
  string: 'tostring str text',
  int: 'toint parseint integer',
  double: 'float number tonumber parsefloat',
  bool: 'boolean tobool',
  timestamp: 'date datetime time',
  getFullYear: 'getyear year',
  getDayOfWeek: 'getday weekday dayofweek',
  emailDomain: 'domain',
  phoneCountry: 'country',
}
const synonyms = new Map(
  Object.entries(otherNames).flatMap(([name, others]) =>
    others.split(' ').map((other) => [other, name] as const),
  ),
)

/** The function nearest to the name, as it is written; undefined when none is near. */
export function suggestFunction(name: string, names = suggestedNames): string | undefined {
  const plain = name.replaceAll('_', '').toLowerCase()
  if (plain === 'now') return 'request.time'
  const meant = synonyms.get(plain) ?? nearestName(name, names)
  return meant === undefined ? undefined : formatCallSyntax(meant)
}

/** The same of functions of a value, which counters are not. */
export function suggestValueFunction(name: string): string | undefined {
  return suggestFunction(name, valueFunctions)
}

export function formatCallSyntax(name: string): string {
  if (loops.includes(name)) return `[…].${name}(x, …)`
  const more = listSignatures(name, 1).length > 0 ? '' : '…'
  return findCallStyle(name) === 'receiver' ? `x.${name}(${more})` : `${name}(…)`
}
