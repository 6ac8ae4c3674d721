/** The names a rule can read (design 4.2) and their types. */

import { callerSignals, deviceSignals } from '../domain/signals.ts'
import type { ValueType } from './expression.ts'

const fixed: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ...deviceSignals.map((name) => [`signal.${name}`, 'string'] as const),
  ...callerSignals.map((name) => [`signal.${name}`, 'bool'] as const),
  ['target.phone_number', 'string'],
  ['target.email_address', 'string'],
  ['list.allow', 'bool'],
  ['list.block', 'bool'],
  ['request.time', 'timestamp'],
])

/** What a name begins with; a variable cannot be called like one of them. */
export const nameRoots: ReadonlySet<string> = new Set([
  'signal',
  'target',
  'list',
  'request',
  'param',
])

const extPrefix = 'signal.ext.'
const parameterPrefix = 'param.'

/** The name of a caller-defined signal. */
export function extName(key: string): string {
  return extPrefix + key
}

/** The key of a caller-defined signal's name; undefined for every other name. */
export function extKey(name: string): string | undefined {
  return name.startsWith(extPrefix) ? name.slice(extPrefix.length) : undefined
}

/** The parameter that a name reads; undefined for every other name. */
export function parameterName(name: string): string | undefined {
  return name.startsWith(parameterPrefix) ? name.slice(parameterPrefix.length) : undefined
}

/** The type of a name outside `signal.ext`; undefined when there is no such name. `parameters` are those declared as `param.…`. */
export function typeOfName(
  name: string,
  parameters: ReadonlyMap<string, ValueType> | undefined,
): ValueType | undefined {
  const parameter = parameterName(name)
  return parameter === undefined ? fixed.get(name) : parameters?.get(parameter)
}
