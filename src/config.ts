/** Reads the configuration from environment variables and reports one sentence for each mistake. */

import { readSdkSettings, type SdkSettings } from './config/sdkSettings.ts'
import {
  type RateSetting,
  readChoice,
  readInteger,
  readRateLimit,
  type SettingReader,
  settingNames,
} from './config/settingReaders.ts'
import {
  type PrivateHost,
  parsePrivateHosts,
  privateHostsFormatHelp,
} from './domain/network/outboundHost.ts'
import { type Role, roles } from './domain/role.ts'
import { defaultSessionDomain, isSessionDomain } from './domain/sessions/appId.ts'
import { findEventStoreUrlMistakes, findEventStoreUrlWarnings } from './stores/eventStoreUrl.ts'
import { findMongoDbUrlMistakes } from './stores/mongoDbUrl.ts'

export interface Config {
  readonly port: number
  readonly host: string
  readonly dataFolder: string
  /** Connection string of the EventStoreDB with the log, password included; undefined when everything is in the data folder. */
  readonly eventStoreUrl: string | undefined
  /** Connection string of the MongoDB with read models and sealing keys, password included; set together with the other. */
  readonly mongoDbUrl: string | undefined
  readonly role: Role
  /** Undefined: one is made on first start. */
  readonly operatorToken: string | undefined
  /** 32 bytes. Undefined: one is made in the data folder on first start. */
  readonly masterKey: Uint8Array | undefined
  /** Number of proxies in front of the service whose `X-Forwarded-*` headers are trusted. */
  readonly trustedProxies: number
  readonly logLevel: LogLevel
  /** Requests in progress at once; more are answered 503. */
  readonly inFlightMax: number
  /** Who may read `/metrics`: anyone, or the operator and tokens with the scope `operate`. */
  readonly metricsAccess: 'open' | 'operator'
  /** Limit for each API token; undefined for no limit. */
  readonly rateLimit: RateSetting | undefined
  readonly frontEnds: SdkSettings
  /** How long a dispatch counts; undefined for the default. */
  readonly dispatchLifetimeMs: number | undefined
  /** How long a client can get the answer of its refresh again; undefined for the default. */
  readonly refreshRepeatMs: number | undefined
  /** Parent domain of the hosts of applications: `{appId}.{sessionDomain}`. */
  readonly sessionDomain: string
  /** Hosts that migration URLs may name though they are not public. */
  readonly privateMigrationHosts: readonly PrivateHost[]
  /** Whether a first start opens the demo account. */
  readonly demo: boolean
  /** Sentences for the log. */
  readonly warnings: readonly string[]
}

export const defaultDataFolder = './data'

const logLevels = ['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent'] as const

type LogLevel = (typeof logLevels)[number]

type Environment = Readonly<Record<string, string | undefined>>

const ownPrefix = 'VIGIL_'

/** Variables of the command line and of the README's examples. */
const clientNames = [
  'VIGIL_URL',
  'VIGIL_TOKEN',
  'VIGIL_PROFILE',
  'VIGIL_SIGNUP_FLOW',
  'VIGIL_PAYOUT_FLOW',
]

/** Operator tokens with fewer characters get a warning. */
const tokenCharsAdvised = 32

/** The default limit of requests in progress. */
export const inFlightMaxDefault = 512

const inFlightBounds = { min: 1, max: 100_000, fallback: inFlightMaxDefault }
const dispatchHours = { min: 1, max: 24 * 365, fallback: undefined, unit: 60 * 60 * 1_000 }
const repeatSeconds = { min: 10, max: 3_600, fallback: undefined, unit: 1_000 }

/** The configuration of this environment. Throws an `Error` with one sentence for each mistake; none quotes a secret. */
export function readConfig(env: Environment = process.env): Config {
  const mistakes: string[] = []
  // an empty variable counts as not set
  const reading: SettingReader = { text: (name) => env[name]?.trim() || undefined, mistakes }
  const config: Config = {
    port: readInteger(reading, 'PORT', { min: 0, max: 65_535, fallback: 8080 }),
    host: readHost(reading),
    dataFolder: reading.text('VIGIL_DATA') ?? defaultDataFolder,
    eventStoreUrl: readUrl(reading, 'EVENTSTORE_URL', findEventStoreUrlMistakes),
    mongoDbUrl: readUrl(reading, 'MONGODB_URL', findMongoDbUrlMistakes),
    role: readRole(reading),
    operatorToken: readOperatorToken(reading),
    masterKey: readMasterKey(reading),
    trustedProxies: readTrustedProxies(reading),
    logLevel: readChoice(reading, 'LOG_LEVEL', logLevels),
    inFlightMax: readInteger(reading, 'VIGIL_MAX_IN_FLIGHT', inFlightBounds),
    metricsAccess: readChoice(reading, 'VIGIL_METRICS', ['operator', 'open']),
    rateLimit: readRateLimit(reading, 'VIGIL_RATE_LIMIT'),
    frontEnds: readSdkSettings(reading),
    dispatchLifetimeMs: readInteger(reading, 'VIGIL_DISPATCH_HOURS', dispatchHours),
    refreshRepeatMs: readInteger(reading, 'VIGIL_REFRESH_REPEAT_SECONDS', repeatSeconds),
    sessionDomain: readSessionDomain(reading),
    privateMigrationHosts: readMigrationHosts(reading),
    demo: readChoice(reading, 'VIGIL_DEMO', ['true', 'false']) === 'true',
    warnings: [
      ...shortToken(reading),
      ...unsentPassword(reading),
      ...unsharedSecrets(reading),
      ...unknownNames(env),
    ],
  }
  mistakes.push(...unpairedServerMistake(config))
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return config
}

/** The mistake of setting only one of the two URLs. */
export function unpairedServerMistake(
  urls: Pick<Config, 'eventStoreUrl' | 'mongoDbUrl'>,
): readonly string[] {
  if ((urls.eventStoreUrl === undefined) === (urls.mongoDbUrl === undefined)) return []
  const names = ['EVENTSTORE_URL', 'MONGODB_URL']
  const [set, missing] = urls.mongoDbUrl === undefined ? names : names.toReversed()
  const mistake = `${set} is set without ${missing}: set both, to keep everything on servers, or neither, to keep everything in the data folder.`
  return [mistake]
}

function readUrl(
  { text, mistakes }: SettingReader,
  name: 'EVENTSTORE_URL' | 'MONGODB_URL',
  mistakesOf: (url: string) => readonly string[],
): string | undefined {
  const url = text(name)
  if (url !== undefined) mistakes.push(...mistakesOf(url).map((mistake) => `${name} ${mistake}`))
  return url
}

function unsentPassword({ text }: SettingReader): readonly string[] {
  return findEventStoreUrlWarnings(text('EVENTSTORE_URL') ?? '').map(
    (warning) => `EVENTSTORE_URL ${warning}`,
  )
}

/** Warns that a key or token made by this instance does not work on the others. */
function unsharedSecrets({ text }: SettingReader): readonly string[] {
  if (text('EVENTSTORE_URL') === undefined || text('MONGODB_URL') === undefined) return []
  const missing = sharedNames.filter((name) => text(name) === undefined)
  if (missing.length === 0) return []
  return [
    `${missing.join(' and ')} not set: what is made in the data folder is of this instance alone; others on the same stores need the same.`,
  ]
}

/** Settings that instances on the same stores must share. */
const sharedNames = [
  'EVENTSTORE_URL',
  'MONGODB_URL',
  'VIGIL_MASTER_KEY',
  'VIGIL_OPERATOR_TOKEN',
] as const

function readRole(reading: SettingReader): Role {
  const { text, mistakes } = reading
  const role = readChoice(reading, 'VIGIL_ROLE', roles)
  const missing = sharedNames.filter((name) => text(name) === undefined)
  if (role !== 'all' && missing.length > 0) {
    mistakes.push(
      `VIGIL_ROLE=${role} needs ${missing.join(', ')}: a data folder is used by one process at a time, which has to do everything (VIGIL_ROLE=all), and instances that share their work need the same stores, key and token.`,
    )
  }
  return role
}

function readHost({ text, mistakes }: SettingReader): string {
  const host = text('HOST') ?? '127.0.0.1'
  if (!/^[\w.:%-]{1,255}$/.test(host)) {
    mistakes.push('HOST must be a host name or an IP address, without a port.')
  }
  return host
}

function readOperatorToken({ text, mistakes }: SettingReader): string | undefined {
  const token = text('VIGIL_OPERATOR_TOKEN')
  if (token !== undefined && !/^[\x21-\x7e]{8,512}$/.test(token)) {
    mistakes.push('VIGIL_OPERATOR_TOKEN must be 8 to 512 visible ASCII characters.')
  }
  return token
}

function shortToken({ text }: SettingReader): readonly string[] {
  const { length } = text('VIGIL_OPERATOR_TOKEN') ?? ''
  if (length === 0 || length >= tokenCharsAdvised) return []
  return [
    `VIGIL_OPERATOR_TOKEN is short enough to be guessed: ${tokenCharsAdvised} random characters are not.`,
  ]
}

function readMasterKey({ text, mistakes }: SettingReader): Uint8Array | undefined {
  const given = text('VIGIL_MASTER_KEY')
  if (given === undefined) return undefined
  const key = masterKeyOf(given)
  if (!key) mistakes.push(masterKeyMistake)
  return key
}

export const masterKeyMistake = 'VIGIL_MASTER_KEY must be 32 bytes in base64 or hexadecimal.'

/** The 32 bytes of a master key in base64 or hexadecimal; undefined when the text is neither. */
export function masterKeyOf(text: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64')
  return undefined
}

function readTrustedProxies({ text, mistakes }: SettingReader): number {
  const given = text('TRUST_PROXY')?.toLowerCase() ?? 'false'
  if (given === 'false') return 0
  if (given === 'true') return 1
  if (/^(?:\d|10)$/.test(given)) return Number(given)
  mistakes.push('TRUST_PROXY must be true, false, or the number of proxies (0 to 10).')
  return 0
}

function readSessionDomain({ text, mistakes }: SettingReader): string {
  const domain = (text('SESSION_DOMAIN') ?? defaultSessionDomain).toLowerCase()
  if (!isSessionDomain(domain)) {
    mistakes.push('SESSION_DOMAIN must be a host name such as session.example.com, without a port.')
  }
  return domain
}

function readMigrationHosts({ text, mistakes }: SettingReader): readonly PrivateHost[] {
  const hosts = parsePrivateHosts(text('VIGIL_PRIVATE_MIGRATION_HOSTS') ?? '')
  if (!hosts) mistakes.push(`VIGIL_PRIVATE_MIGRATION_HOSTS must be ${privateHostsFormatHelp}.`)
  return hosts ?? []
}

function unknownNames(env: Environment): readonly string[] {
  const known = new Set<string>([...settingNames, ...clientNames])
  return Object.keys(env)
    .filter((name) => name.startsWith(ownPrefix) && !known.has(name))
    .map((name) => `${name} is not a setting of this version and is ignored.`)
}
