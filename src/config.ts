/** Reads the configuration from environment variables and reports one sentence for each mistake. */

import { type FrontEndSettings, readFrontEnds } from './config/frontEndSettings.ts'
import { type RateSetting, readRateLimit } from './config/rateLimits.ts'
import { type Reading, readInteger, settingNames } from './config/reading.ts'
import { usualInFlightMax } from './domain/load/usualInFlightMax.ts'
import { type PrivateHost, privateHosts, privateHostsForm } from './domain/network/outboundHost.ts'
import { type Role, roles } from './domain/role.ts'
import { isSessionDomain, usualSessionDomain } from './domain/sessions/sessionHost.ts'
import { eventStoreUrlMistakes, eventStoreUrlWarnings } from './stores/eventStoreUrl.ts'
import { mongoDbUrlMistakes } from './stores/mongoDbUrl.ts'

export interface Config {
  readonly port: number
  readonly host: string
  readonly dataFolder: string
  /** Connection string of the EventStoreDB that keeps the log; undefined when the data folder keeps everything. Holds a password. */
  readonly eventStoreUrl: string | undefined
  /** Connection string of the MongoDB that keeps read models and sealing keys; set together with the other. Holds a password. */
  readonly mongoDbUrl: string | undefined
  /** What this instance does of the work. */
  readonly role: Role
  /** Absent: one is made on first start. */
  readonly operatorToken: string | undefined
  /** 32 bytes. Absent: one is made in the data folder on first start. */
  readonly masterKey: Uint8Array | undefined
  /** Proxies in front of the service whose `X-Forwarded-*` headers are believed; 0 for none. */
  readonly trustedProxies: number
  readonly logLevel: LogLevel
  /** Requests in progress at once; more are answered 503. */
  readonly inFlightMax: number
  /** Who may read `/metrics`: anyone, or the operator and tokens with the scope `operate`. */
  readonly metricsAccess: 'open' | 'operator'
  /** Requests of each API token; undefined for as many as come. */
  readonly rateLimit: RateSetting | undefined
  /** What front ends may send by themselves, and what of their connections is believed. */
  readonly frontEnds: FrontEndSettings
  /** How long a dispatch counts, in milliseconds; undefined for as long as usual. */
  readonly dispatchLifetimeMs: number | undefined
  /** For how long the answer of a refresh is given again to its own client, in milliseconds; undefined for as long as usual. */
  readonly refreshRepeatMs: number | undefined
  /** Hosts of applications are those right below it: `{appId}.{sessionDomain}`. */
  readonly sessionDomain: string
  /** Hosts that migration URLs may name though they are not public. */
  readonly privateMigrationHosts: readonly PrivateHost[]
  /** Whether a first start opens the demo account. */
  readonly demo: boolean
  /** Sentences for the log: what was set and is not understood. */
  readonly warnings: readonly string[]
}

export const defaultDataFolder = './data'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

type LogLevel = (typeof logLevels)[number]

type Environment = Readonly<Record<string, string | undefined>>

const ownPrefix = 'VIGIL_'

/** What the command line and the README keep in the same shell. */
const clientNames = [
  'VIGIL_URL',
  'VIGIL_TOKEN',
  'VIGIL_PROFILE',
  'VIGIL_SIGNUP_FLOW',
  'VIGIL_PAYOUT_FLOW',
]

/** Characters from which on an operator's token is not worth a warning. */
const tokenCharsWise = 32

/** The configuration of this environment. Throws an `Error` with one sentence for each mistake; none quotes a secret. */
export function readConfig(env: Environment = process.env): Config {
  const mistakes: string[] = []
  // an empty variable is one that is not set
  const reading: Reading = { text: (name) => env[name]?.trim() || undefined, mistakes }
  const config: Config = {
    port: readInteger(reading, 'PORT', { min: 0, max: 65_535, fallback: 8080 }),
    host: readHost(reading),
    dataFolder: reading.text('VIGIL_DATA') ?? defaultDataFolder,
    eventStoreUrl: readUrl(reading, 'EVENTSTORE_URL', eventStoreUrlMistakes),
    mongoDbUrl: readUrl(reading, 'MONGODB_URL', mongoDbUrlMistakes),
    role: readRole(reading),
    operatorToken: readOperatorToken(reading),
    masterKey: readMasterKey(reading),
    trustedProxies: readTrustedProxies(reading),
    logLevel: readLogLevel(reading),
    inFlightMax: readInteger(reading, 'VIGIL_MAX_IN_FLIGHT', {
      min: 1,
      max: 100_000,
      fallback: usualInFlightMax,
    }),
    metricsAccess: readMetricsAccess(reading),
    rateLimit: readRateLimit(reading, 'VIGIL_RATE_LIMIT'),
    frontEnds: readFrontEnds(reading),
    dispatchLifetimeMs: readDispatchLifetime(reading),
    refreshRepeatMs: readRefreshRepeat(reading),
    sessionDomain: readSessionDomain(reading),
    privateMigrationHosts: readMigrationHosts(reading),
    demo: readDemo(reading),
    warnings: [
      ...shortToken(reading),
      ...unsentPassword(reading),
      ...unsharedSecrets(reading),
      ...unknownNames(env),
    ],
  }
  mistakes.push(...unpairedServer(config))
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return config
}

/** The mistake of naming one server without the other; none when both or neither are named. */
export function unpairedServer(
  urls: Pick<Config, 'eventStoreUrl' | 'mongoDbUrl'>,
): readonly string[] {
  if ((urls.eventStoreUrl === undefined) === (urls.mongoDbUrl === undefined)) return []
  const names = ['EVENTSTORE_URL', 'MONGODB_URL']
  const [set, missing] = urls.mongoDbUrl === undefined ? names : names.toReversed()
  const mistake = `${set} is set without ${missing}: set both, to keep everything on servers, or neither, to keep everything in the data folder.`
  return [mistake]
}

function readUrl(
  { text, mistakes }: Reading,
  name: 'EVENTSTORE_URL' | 'MONGODB_URL',
  mistakesOf: (url: string) => readonly string[],
): string | undefined {
  const url = text(name)
  if (url !== undefined) mistakes.push(...mistakesOf(url).map((mistake) => `${name} ${mistake}`))
  return url
}

function unsentPassword({ text }: Reading): readonly string[] {
  return eventStoreUrlWarnings(text('EVENTSTORE_URL') ?? '').map(
    (warning) => `EVENTSTORE_URL ${warning}`,
  )
}

/** An instance that makes up a key or a token of its own is no help to the others. */
function unsharedSecrets({ text }: Reading): readonly string[] {
  if (text('EVENTSTORE_URL') === undefined || text('MONGODB_URL') === undefined) return []
  const missing = sharedNames.filter((name) => text(name) === undefined)
  if (missing.length === 0) return []
  return [
    `${missing.join(' and ')} not set: what is made in the data folder is of this instance alone; others on the same stores need the same.`,
  ]
}

/** What instances that share their work must have in common, so that no folder of one of them can make it up. */
const sharedNames = [
  'EVENTSTORE_URL',
  'MONGODB_URL',
  'VIGIL_MASTER_KEY',
  'VIGIL_OPERATOR_TOKEN',
] as const

function readRole({ text, mistakes }: Reading): Role {
  const given = text('VIGIL_ROLE') ?? 'all'
  const role = roles.find((known) => known === given)
  if (role === undefined) {
    mistakes.push(`VIGIL_ROLE must be one of ${roles.join(', ')}.`)
    return 'all'
  }
  const missing = sharedNames.filter((name) => text(name) === undefined)
  if (role !== 'all' && missing.length > 0) {
    mistakes.push(
      `VIGIL_ROLE=${role} needs ${missing.join(', ')}: a data folder is used by one process at a time, which has to do everything (VIGIL_ROLE=all), and instances that share their work need the same stores, key and token.`,
    )
  }
  return role
}

function readHost({ text, mistakes }: Reading): string {
  const host = text('HOST') ?? '127.0.0.1'
  if (!/^[\w.:%-]{1,255}$/.test(host)) {
    mistakes.push('HOST must be a host name or an IP address, without a port.')
  }
  return host
}

function readOperatorToken({ text, mistakes }: Reading): string | undefined {
  const token = text('VIGIL_OPERATOR_TOKEN')
  if (token !== undefined && !/^[\x21-\x7e]{8,512}$/.test(token)) {
    mistakes.push('VIGIL_OPERATOR_TOKEN must be 8 to 512 visible ASCII characters.')
  }
  return token
}

function shortToken({ text }: Reading): readonly string[] {
  const { length } = text('VIGIL_OPERATOR_TOKEN') ?? ''
  if (length === 0 || length >= tokenCharsWise) return []
  return [
    `VIGIL_OPERATOR_TOKEN is short enough to be guessed: ${tokenCharsWise} random characters are not.`,
  ]
}

function readMasterKey({ text, mistakes }: Reading): Uint8Array | undefined {
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

const hourMs = 60 * 60 * 1_000

function readDispatchLifetime(reading: Reading): number | undefined {
  const bounds = { min: 1, max: 24 * 365, fallback: undefined }
  const hours = readInteger(reading, 'VIGIL_DISPATCH_HOURS', bounds)
  return hours === undefined ? undefined : hours * hourMs
}

function readRefreshRepeat(reading: Reading): number | undefined {
  const bounds = { min: 10, max: 3_600, fallback: undefined }
  const seconds = readInteger(reading, 'VIGIL_REFRESH_REPEAT_SECONDS', bounds)
  return seconds === undefined ? undefined : seconds * 1_000
}

function readTrustedProxies({ text, mistakes }: Reading): number {
  const given = text('TRUST_PROXY')?.toLowerCase() ?? 'false'
  if (given === 'false') return 0
  if (given === 'true') return 1
  if (/^(?:\d|10)$/.test(given)) return Number(given)
  mistakes.push('TRUST_PROXY must be true, false, or the number of proxies (0 to 10).')
  return 0
}

function readLogLevel({ text, mistakes }: Reading): LogLevel {
  const given = text('LOG_LEVEL') ?? 'info'
  const level = logLevels.find((known) => known === given)
  if (level !== undefined) return level
  mistakes.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}.`)
  return 'info'
}

function readMetricsAccess({ text, mistakes }: Reading): Config['metricsAccess'] {
  const given = text('VIGIL_METRICS') ?? 'operator'
  if (given === 'open' || given === 'operator') return given
  mistakes.push('VIGIL_METRICS must be operator or open.')
  return 'operator'
}

function readSessionDomain({ text, mistakes }: Reading): string {
  const domain = (text('SESSION_DOMAIN') ?? usualSessionDomain).toLowerCase()
  if (!isSessionDomain(domain)) {
    mistakes.push('SESSION_DOMAIN must be a host name such as session.example.com, without a port.')
  }
  return domain
}

function readMigrationHosts({ text, mistakes }: Reading): readonly PrivateHost[] {
  const hosts = privateHosts(text('VIGIL_PRIVATE_MIGRATION_HOSTS') ?? '')
  if (!hosts) mistakes.push(`VIGIL_PRIVATE_MIGRATION_HOSTS must be ${privateHostsForm}.`)
  return hosts ?? []
}

function readDemo({ text, mistakes }: Reading): boolean {
  const given = text('VIGIL_DEMO')?.toLowerCase() ?? 'true'
  if (given === 'true' || given === 'false') return given === 'true'
  mistakes.push('VIGIL_DEMO must be true or false.')
  return true
}

function unknownNames(env: Environment): readonly string[] {
  const known = new Set<string>([...settingNames, ...clientNames])
  return Object.keys(env)
    .filter((name) => name.startsWith(ownPrefix) && !known.has(name))
    .map((name) => `${name} is not a setting of this version and is ignored.`)
}
