/** Validates and parses connection strings of EventStoreDB and MongoDB; quotes no credentials. */

export interface EventStoreDbConnectionOptions {
  /** The connection string without user name and password, which the client prints when it is debugged. */
  readonly url: string
  readonly credentials?: { readonly username: string; readonly password: string }
}

const eventStorePattern =
  /^(?<scheme>[^:]*):\/\/(?:(?<username>[^:@/]*):(?<password>[^@]*)@)?(?<rest>.*)$/su

/** Separates the credentials from a connection string of EventStoreDB without mistakes. */
export function parseEventStoreUrl(text: string): EventStoreDbConnectionOptions {
  const { scheme = '', username, password, rest = '' } = eventStorePattern.exec(text)?.groups ?? {}
  const url = `${scheme}://${rest}`
  if (username === undefined || password === undefined) return { url }
  return {
    url,
    credentials: { username: decodeURIComponent(username), password: decodeURIComponent(password) },
  }
}

/** Settings of the client, with their valid values. */
const eventStoreSettings: Readonly<Record<string, RegExp>> = {
  tls: /^(?:true|false)$/,
  tlscafile: /^.+$/,
  usercertfile: /^.+$/,
  userkeyfile: /^.+$/,
  connectionname: /^.+$/,
  maxdiscoverattempts: /^\d{1,4}$/,
  discoveryinterval: /^\d{1,6}$/,
  gossiptimeout: /^\d{1,3}$/,
  defaultdeadline: /^\d{1,6}$/,
  keepaliveinterval: /^\d{5,8}$/,
  keepalivetimeout: /^\d{1,8}$/,
  // reads and writes go to the leader
  nodepreference: /^leader$/i,
  // with any other value the client answers a made-up revision
  throwonappendfailure: /^true$/,
}

/** The mistakes in a connection string of EventStoreDB, as advice; none when it is usable. */
export function findEventStoreUrlMistakes(text: string): readonly string[] {
  const { scheme, username, password, rest = '' } = eventStorePattern.exec(text)?.groups ?? {}
  if (scheme !== 'esdb' && scheme !== 'esdb+discover') {
    return ['must begin with esdb:// or esdb+discover://, also for a KurrentDB server.']
  }
  if (!areDecodable(username, password)) return [encodingProblem]
  const [hosts = '', query, ...more] = rest.replace(/\/+(?=$|\?)/, '').split('?')
  if (rest.includes('@')) return ['has an @ in the user name or the password: write it as %40.']
  const [problem] = hostMistakes(hosts, /^[\w.-]{1,255}(?::\d{1,5})?$/)
  if (problem !== undefined) return [problem]
  if (more.length > 0) return ['has more than one question mark.']
  return settingMistakes(query?.split('&') ?? [], 'not known', (name) => {
    return eventStoreSettings[name.replaceAll(/[_-]/g, '')]
  })
}

/** Warnings about a usable connection string that may not mean what its author thinks. */
export function findEventStoreUrlWarnings(text: string): readonly string[] {
  const { username, rest = '' } = eventStorePattern.exec(text)?.groups ?? {}
  if (username === undefined || !/[?&]tls=false/i.test(rest)) return []
  return ['has tls=false: the user name and the password are not sent to the server.']
}

const mongoDbPattern =
  /^(?<scheme>[^:]*):\/\/(?:(?<username>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]*)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/su

const usualDatabase = 'vigil'

/** What a connection string of MongoDB without mistakes names. */
export function parseMongoDbUrl(text: string) {
  const { hosts = '', database, query = '' } = mongoDbPattern.exec(text)?.groups ?? {}
  return {
    /** For the log. */
    hosts,
    /** The path, `vigil` without one. */
    database: database || usualDatabase,
    /** Whether it says how many connections a thread may open. */
    setsPoolMax: /(?:^|&)maxPoolSize=/i.test(query),
  }
}

/** Settings of the driver, with their valid values; timeouts and the write concern are fixed. */
const mongoDbSettings: Readonly<Record<string, RegExp>> = {
  appname: /^.{1,128}$/,
  authmechanism: /^[\w-]{1,40}$/,
  authmechanismproperties: /^.+$/,
  authsource: /^.+$/,
  compressors: /^(?:none|zlib)$/,
  directconnection: /^(?:true|false)$/,
  loadbalanced: /^(?:true|false)$/,
  localthresholdms: /^\d{1,5}$/,
  maxidletimems: /^\d{1,9}$/,
  maxpoolsize: /^[1-9]\d{0,3}$/,
  // a secondary that lags behind does not have what was just written
  readpreference: /^primary$/,
  replicaset: /^[\w.-]{1,128}$/,
  retryreads: /^(?:true|false)$/,
  retrywrites: /^(?:true|false)$/,
  ssl: /^(?:true|false)$/,
  tls: /^(?:true|false)$/,
  tlsallowinvalidcertificates: /^(?:true|false)$/,
  tlsallowinvalidhostnames: /^(?:true|false)$/,
  tlscafile: /^.+$/,
  tlscertificatekeyfile: /^.+$/,
  tlscertificatekeyfilepassword: /^.+$/,
  // writes acknowledged by fewer than the majority may be rolled back
  w: /^majority$/,
}

/** The mistakes in a connection string of MongoDB, as advice; none when it is usable. */
export function findMongoDbUrlMistakes(text: string): readonly string[] {
  const groups = mongoDbPattern.exec(text)?.groups ?? {}
  const { scheme, username, password, hosts, database = '', query } = groups
  if (scheme !== 'mongodb' && scheme !== 'mongodb+srv') {
    return ['must begin with mongodb:// or mongodb+srv://.']
  }
  if (hosts === undefined || `${hosts}${database}`.includes('@')) {
    return ['has an @ or a / in the user name or the password: write them as %40 and %2F.']
  }
  if (!areDecodable(username, password)) return [encodingProblem]
  return [
    ...hostMistakes(hosts, /^(?:[\w.-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i),
    ...(scheme === 'mongodb+srv' && /[,:]/.test(hosts)
      ? ['must name one host without a port after mongodb+srv://.']
      : []),
    ...databaseMistakes(database),
    ...settingMistakes(query ? query.split('&') : [], 'not known or not yours to set', (name) => {
      return mongoDbSettings[name]
    }),
  ]
}

/** Refuses databases of the server itself, so that no collections of others are taken for ours. */
function databaseMistakes(name: string): readonly string[] {
  if (['admin', 'config', 'local'].includes(name)) {
    return [`must name a database of Vigil alone after the hosts, not ${name}.`]
  }
  return /^[\w-]{0,63}$/.test(name)
    ? []
    : ['must name a database of at most 63 letters, digits, _ and - after the hosts.']
}

const encodingProblem = 'has a user name or a password that is not percent-encoded.'

function areDecodable(...texts: readonly (string | undefined)[]): boolean {
  try {
    for (const text of texts) decodeURIComponent(text ?? '')
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

const portMax = 65_535

function hostMistakes(text: string, pattern: RegExp): readonly string[] {
  const hosts = text.split(',')
  if (!hosts.every((host) => pattern.test(host))) return ['must name hosts as host or host:port.']
  const ports = hosts.map((host) => Number(/:(?<port>\d+)$/.exec(host)?.groups?.['port'] ?? 1))
  if (ports.every((port) => port >= 1 && port <= portMax)) return []
  return [`names a port that cannot be: a port is 1 to ${portMax}.`]
}

/** `patternOf` returns the valid values of a setting in lower case, if it is known. */
function settingMistakes(
  query: readonly string[],
  unknown: string,
  patternOf: (name: string) => RegExp | undefined,
): readonly string[] {
  return query.flatMap((setting) => {
    const [name = '', ...values] = setting.split('=')
    const known = patternOf(name.toLowerCase())
    if (!known) return [`has a setting that is ${unknown}: ${name.slice(0, 40)}.`]
    return known.test(values.join('=')) ? [] : [`has a value that ${name} cannot have.`]
  })
}
