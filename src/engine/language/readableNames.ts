/** Lists the names that a rule can read (design 5.2); finds a name's type, key or parameter. */

import {
  type CallerSignal,
  callerSignals,
  type DeviceSignal,
  devicePlatforms,
  deviceSignals,
} from '../../domain/signals/signals.ts'
import type { EvidenceSource } from '../run/evidence.ts'
import type { ValueType } from './expression.ts'

/** A name of the language, as described to authors. */
export interface ReadableName {
  readonly name: string
  readonly type: ValueType
  readonly meaning: string
  /** The sources of its value, the one with precedence first. */
  readonly sources: readonly EvidenceSource[]
  /** Whether it arrives only with a dispatch of the front end (spec 2.3, rule 6). */
  readonly needsDispatch: boolean
}

const deviceMeanings: Readonly<Record<DeviceSignal, string>> = {
  ip: 'Public address of the device, v4 or v6, in canonical form.',
  device_id: 'Unique id of the device.',
  device_platform: `One of ${devicePlatforms.join(', ')}.`,
  device_model: 'Model of the device.',
  os_version: 'Version of the operating system.',
  app_version: 'Version of the application.',
  user_agent: 'User agent of the browser or application.',
  ja4_fingerprint: 'JA4 fingerprint of the connection.',
}

const callerMeanings: Readonly<Record<CallerSignal, string>> = {
  is_trusted_user:
    'The caller vouches for the user; arrives only where the operator has agreed to it.',
  existing_user: 'The user is in the caller’s system already.',
}

/** The device signals that are derived from the user agent when they are not sent (spec 2.3). */
export const userAgentSignals = ['device_platform', 'device_model', 'os_version'] as const

const ofCaller = { sources: ['request'], needsDispatch: false } as const
const ofTarget = { type: 'string', ...ofCaller } as const
const ofList = { type: 'bool', sources: ['list'], needsDispatch: false } as const

/** Every name that a rule can read outside `signal.ext` and `param`. */
export const readableNames: readonly ReadableName[] = [
  ...deviceSignals.map((signal): ReadableName => {
    const isDerived = userAgentSignals.some((known) => known === signal)
    return {
      name: `signal.${signal}`,
      type: 'string',
      meaning: deviceMeanings[signal],
      sources: isDerived ? ['dispatch', 'request', 'user_agent'] : ['dispatch', 'request'],
      needsDispatch: true,
    }
  }),
  ...callerSignals.map(
    (signal): ReadableName => ({
      name: `signal.${signal}`,
      type: 'bool',
      meaning: callerMeanings[signal],
      ...ofCaller,
    }),
  ),
  {
    name: 'target.phone_number',
    meaning: 'Phone number of the end user, in E.164 form.',
    ...ofTarget,
  },
  {
    name: 'target.email_address',
    meaning: 'E-mail address of the end user, in canonical form.',
    ...ofTarget,
  },
  { name: 'list.allow', meaning: 'The target stands on the account’s allow list.', ...ofList },
  { name: 'list.block', meaning: 'The target stands on the account’s block list.', ...ofList },
  {
    name: 'request.time',
    type: 'timestamp',
    meaning: 'When the evaluation was asked for: the only clock that a rule can see.',
    sources: ['service'],
    needsDispatch: false,
  },
  {
    name: 'flow.id',
    type: 'string',
    meaning: 'Id of the flow that is evaluated.',
    sources: ['service'],
    needsDispatch: false,
  },
]

/** The description of the names that callers define. */
export const extNames: ReadableName = {
  name: 'signal.ext.<key>',
  type: 'string',
  meaning: 'A value of the caller’s own; numbers are read with int(…) or double(…).',
  ...ofCaller,
}

const types: ReadonlyMap<string, ValueType> = new Map(
  readableNames.map(({ name, type }) => [name, type]),
)

/** The roots of names, which loop variables cannot have. */
export const nameRoots: ReadonlySet<string> = new Set([
  'signal',
  'target',
  'list',
  'request',
  'flow',
  'param',
])

const extPrefix = 'signal.ext.'
const parameterPrefix = 'param.'

/** The name of a caller-defined signal. */
export function formatExtName(key: string): string {
  return extPrefix + key
}

/** The key of a caller-defined signal's name; undefined for every other name. */
export function parseExtKey(name: string): string | undefined {
  return name.startsWith(extPrefix) ? name.slice(extPrefix.length) : undefined
}

const reservedWords: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in'])

/** The name as written in a rule: in brackets when its key is no identifier. */
export function formatWrittenName(name: string): string {
  const key = parseExtKey(name)
  const plain = key === undefined || (/^[A-Za-z_]\w*$/.test(key) && !reservedWords.has(key))
  return plain ? name : `signal.ext[${JSON.stringify(key)}]`
}

/** The parameter that a name reads; undefined for every other name. */
export function parseParameterName(name: string): string | undefined {
  return name.startsWith(parameterPrefix) ? name.slice(parameterPrefix.length) : undefined
}

/** Whether a rule can read the name as it is written, in dots. */
export function isReadableName(
  name: string,
  parameters: ReadonlyMap<string, ValueType> | undefined,
): boolean {
  return /^signal\.ext\.\w+$/.test(name) || findNameType(name, parameters) !== undefined
}

/** The type of a name outside `signal.ext`; undefined for an unknown one. `parameters` are declared as `param.…`. */
export function findNameType(
  name: string,
  parameters: ReadonlyMap<string, ValueType> | undefined,
): ValueType | undefined {
  const parameter = parseParameterName(name)
  return parameter === undefined ? types.get(name) : parameters?.get(parameter)
}
