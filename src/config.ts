/** Reads the configuration from environment variables and reports one sentence for each mistake. */

import {
  choiceFormat,
  type Environment,
  integerFormat,
  listUnknownSettings,
  rateFormat,
  readSecret,
  readSetting,
  type SettingFormat,
  type SettingName,
  type SettingReader,
  secretNames,
  textFormat,
} from './config/settingReaders.ts'
import { parsePrivateHosts, privateHostsFormatHelp } from './domain/network/outboundHost.ts'
import { type Role, roles } from './domain/role.ts'
import { defaultSessionDomain, isSessionDomain } from './domain/sessions/appId.ts'
import {
  findEventStoreUrlMistakes,
  findEventStoreUrlWarnings,
  findMongoDbUrlMistakes,
} from './stores/connectionStrings.ts'

export const defaultDataFolder = './data'

/** The default limit of requests in progress. */
export const inFlightMaxDefault = 512

/** The 32 bytes of a master key. */
export const masterKeyFormat: SettingFormat<Uint8Array> = {
  form: '32 bytes in base64 or hexadecimal',
  parse: (text) => {
    if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
    return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined
  },
}

const formats = {
  host: textFormat(/^[\w.:%-]{1,255}$/, 'a host name or an IP address, without a port'),
  operatorToken: textFormat(
    /^[\x21-\x7e]{32,512}$/,
    '32 to 512 visible ASCII characters, such as what `openssl rand -base64 33` prints',
  ),
  trustedProxies: {
    form: 'true, false, or the number of proxies (0 to 10)',
    parse: (text: string) => {
      if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true' ? 1 : 0
      return /^(?:\d|10)$/.test(text) ? Number(text) : undefined
    },
  },
  logLevel: choiceFormat(['info', 'fatal', 'error', 'warn', 'debug', 'trace', 'silent']),
  sessionDomain: {
    form: 'a host name such as session.example.com, without a port',
    parse: (text: string) => (isSessionDomain(text.toLowerCase()) ? text.toLowerCase() : undefined),
  },
  migrationHosts: { form: privateHostsFormatHelp, parse: parsePrivateHosts },
  header: textFormat(/^[A-Za-z0-9-]{1,64}$/, 'the name of a header: letters, digits and hyphens'),
}

export type Config = Readonly<ReturnType<typeof readConfig>>

/** The configuration of this environment. Throws an `Error` with a sentence per mistake; none quotes a secret. */
export function readConfig(given: Environment = process.env) {
  // a file that cannot be used is said alone: what it was to hold would seem not to be set
  const secrets = secretNames.map((name) => [name, readSecret(given, name)] as const)
  const env: Environment = { ...given, ...Object.fromEntries(secrets) }
  const mistakes = [...listUnknownSettings(env)]
  // an empty variable counts as not set
  const text = (name: SettingName): string | undefined => env[name]?.trim() || undefined
  const reading: SettingReader = { text, mistakes }
  const read = <Value>(name: SettingName, format: SettingFormat<Value>): Value | undefined =>
    readSetting(reading, name, format)
  const config = {
    port: read('PORT', integerFormat(0, 65_535)) ?? 8080,
    host: read('HOST', formats.host) ?? '127.0.0.1',
    dataFolder: text('VIGIL_DATA') ?? defaultDataFolder,
    /** Connection string of the EventStoreDB, password included; undefined when the log is in the data folder. */
    eventStoreUrl: readServerUrl(reading, 'EVENTSTORE_URL', findEventStoreUrlMistakes),
    /** Connection string of the MongoDB, password included; set together with the other. */
    mongoDbUrl: readServerUrl(reading, 'MONGODB_URL', findMongoDbUrlMistakes),
    role: readRole(reading),
    /** Undefined: one is made on first start. */
    operatorToken: read('VIGIL_OPERATOR_TOKEN', formats.operatorToken),
    /** Undefined: one is made in the data folder on first start. */
    masterKey: read('VIGIL_MASTER_KEY', masterKeyFormat),
    /** Number of proxies in front of the service whose `X-Forwarded-*` headers are trusted. */
    trustedProxies: read('TRUST_PROXY', formats.trustedProxies) ?? 0,
    logLevel: read('LOG_LEVEL', formats.logLevel) ?? 'info',
    /** Requests in progress at once; more are answered 503. */
    inFlightMax: read('VIGIL_MAX_IN_FLIGHT', integerFormat(1, 100_000)) ?? inFlightMaxDefault,
    /** Who may read `/metrics`: anyone, or the operator and tokens with the scope `operate`. */
    metricsAccess: read('VIGIL_METRICS', choiceFormat(['operator', 'open'])) ?? 'operator',
    /** Limit for each API token; undefined for no limit. */
    rateLimit: read('VIGIL_RATE_LIMIT', rateFormat),
    frontEnds: readFrontEnds(reading),
    /** How long a dispatch counts; undefined for the default. */
    dispatchLifetimeMs: read('VIGIL_DISPATCH_HOURS', integerFormat(1, 24 * 365, 3_600_000)),
    /** How long a client can get the answer of its refresh again; undefined for the default. */
    refreshRepeatMs: read('VIGIL_REFRESH_REPEAT_SECONDS', integerFormat(10, 3_600, 1_000)),
    /** Parent domain of the hosts of applications: `{appId}.{sessionDomain}`. */
    sessionDomain: read('SESSION_DOMAIN', formats.sessionDomain) ?? defaultSessionDomain,
    /** Hosts that migration URLs may name though they are not public. */
    privateMigrationHosts: read('VIGIL_PRIVATE_MIGRATION_HOSTS', formats.migrationHosts) ?? [],
    /** Whether a first start opens the demo account. */
    demo: read('VIGIL_DEMO', choiceFormat(['true', 'false'])) !== 'false',
    warnings: listWarnings(reading),
  }
  mistakes.push(...unpairedServerMistake(config))
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return config
}

function readServerUrl(
  { text, mistakes }: SettingReader,
  name: SettingName,
  findMistakes: (url: string) => readonly string[],
): string | undefined {
  const url = text(name)
  if (url !== undefined) mistakes.push(...findMistakes(url).map((mistake) => `${name} ${mistake}`))
  return url
}

/** The mistake of setting only one of the two URLs. */
export function unpairedServerMistake({
  eventStoreUrl,
  mongoDbUrl,
}: Readonly<Record<'eventStoreUrl' | 'mongoDbUrl', string | undefined>>): readonly string[] {
  if ((eventStoreUrl === undefined) === (mongoDbUrl === undefined)) return []
  const names = ['EVENTSTORE_URL', 'MONGODB_URL']
  const [set, missing] = mongoDbUrl === undefined ? names : names.toReversed()
  const mistake = `${set} is set without ${missing}: set both, to keep everything on servers, or neither, to keep everything in the data folder.`
  return [mistake]
}

function readRole(reading: SettingReader): Role {
  const { text, mistakes } = reading
  const role = readSetting(reading, 'VIGIL_ROLE', choiceFormat(roles)) ?? 'all'
  const missing = secretNames.filter((name) => text(name) === undefined)
  if (role !== 'all' && missing.length > 0) {
    mistakes.push(
      `VIGIL_ROLE=${role} needs ${missing.join(', ')}: a data folder is used by one process at a time, which has to do everything (VIGIL_ROLE=all), and instances that share their work need the same stores, key and token.`,
    )
  }
  return role
}

/** The settings for the SDK in browsers and apps. */
function readFrontEnds(reading: SettingReader) {
  return {
    /** For each SDK key; undefined for the default rate. */
    keyRate: readSetting(reading, 'VIGIL_SDK_KEY_RATE_LIMIT', rateFormat),
    /** For each address of a client; undefined for the default rate. */
    addressRate: readSetting(reading, 'VIGIL_SDK_ADDRESS_RATE_LIMIT', rateFormat),
    /** Bytes that the dispatches of one SDK key may take in a day; undefined for the default budget. */
    keyBytesPerDay: readSetting(
      reading,
      'VIGIL_SDK_KEY_DAILY_MEGABYTES',
      integerFormat(1, 1_000_000, 1_000_000),
    ),
    /** Header, in lower case, in which the proxy that ends TLS sends the JA4 fingerprint. */
    ja4Header: readProxyHeader(reading, 'VIGIL_JA4_HEADER'),
    /** Header in which the proxy sends the country of the connection. */
    countryHeader: readProxyHeader(reading, 'VIGIL_COUNTRY_HEADER'),
  }
}

/** The name of a header that the proxy in front sets, in lower case. */
function readProxyHeader(reading: SettingReader, name: SettingName): string | undefined {
  const header = readSetting(reading, name, formats.header)
  const proxies = reading.text('TRUST_PROXY')?.toLowerCase()
  if (header !== undefined && ['0', 'false', undefined].includes(proxies)) {
    reading.mistakes.push(
      `${name} needs TRUST_PROXY: without a proxy in front, a client can send any value in this header.`,
    )
  }
  return header?.toLowerCase()
}

/** Sentences for the log: what is set, and probably not meant. */
function listWarnings({ text }: SettingReader): readonly string[] {
  const unsentPassword = findEventStoreUrlWarnings(text('EVENTSTORE_URL') ?? '')
  const unshared = secretNames.filter((name) => text(name) === undefined)
  const isOnServers = !unshared.includes('EVENTSTORE_URL') && !unshared.includes('MONGODB_URL')
  return [
    ...unsentPassword.map((warning) => `EVENTSTORE_URL ${warning}`),
    ...(isOnServers && unshared.length > 0
      ? [
          `${unshared.join(' and ')} not set: what is made in the data folder is of this instance alone; others on the same stores need the same.`,
        ]
      : []),
  ]
}
