/** Validates and parses the MongoDB connection string; messages never quote credentials. */

import { hasValidPort, isDecodable, portProblem } from './connectionString.ts'

const pattern =
  /^(?<scheme>[^:]*):\/\/(?:(?<username>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]*)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/su

const usualDatabase = 'vigil'

/** The name of the database: the path of the connection string, `vigil` without one. */
export function parseMongoDbDatabase(text: string): string {
  return pattern.exec(text)?.groups?.['database'] || usualDatabase
}

/** The hosts, for the log. */
export function parseMongoDbHosts(text: string): string {
  return pattern.exec(text)?.groups?.['hosts'] ?? ''
}

/** Whether the connection string says how many connections a thread may open. */
export function setsPoolMax(text: string): boolean {
  return /[?&]maxPoolSize=/i.test(text)
}

/** Settings of the driver, with their valid values; timeouts and the write concern are fixed. */
const settings: Readonly<Record<string, RegExp>> = {
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

/** The mistakes in a connection string, as advice; none when it is usable. No sentence quotes user name, password or value. */
export function findMongoDbUrlMistakes(text: string): readonly string[] {
  const { scheme, username, password, hosts, database, query } = pattern.exec(text)?.groups ?? {}
  if (scheme !== 'mongodb' && scheme !== 'mongodb+srv') {
    return ['must begin with mongodb:// or mongodb+srv://.']
  }
  if (hosts === undefined || `${hosts}${database}`.includes('@')) {
    return ['has an @ or a / in the user name or the password: write them as %40 and %2F.']
  }
  if (![username, password].every((text) => isDecodable(text))) {
    return ['has a user name or a password that is not percent-encoded.']
  }
  return [
    ...hostMistakes(scheme, hosts),
    ...databaseMistakes(database),
    ...(query ? query.split('&') : []).flatMap(settingMistakes),
  ]
}

function hostMistakes(scheme: string, text: string): readonly string[] {
  const hosts = text.split(',')
  if (!hosts.every(isHost)) return ['must name hosts as host or host:port.']
  if (!hosts.every(hasValidPort)) return [portProblem]
  if (scheme === 'mongodb') return []
  const isOne = hosts.length === 1 && !/:\d+$/.test(text)
  return isOne ? [] : ['must name one host without a port after mongodb+srv://.']
}

/** Refuses databases of the server itself, so that no collections of others are taken for ours. */
function databaseMistakes(name = ''): readonly string[] {
  if (['admin', 'config', 'local'].includes(name)) {
    return [`must name a database of Vigil alone after the hosts, not ${name}.`]
  }
  return /^[\w-]{0,63}$/.test(name)
    ? []
    : ['must name a database of at most 63 letters, digits, _ and - after the hosts.']
}

function isHost(host: string): boolean {
  return /^(?:[\w.-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host)
}

function settingMistakes(setting: string): readonly string[] {
  const [name = '', ...values] = setting.split('=')
  const known = settings[name.toLowerCase()]
  if (!known) return [`has a setting that is not known or not yours to set: ${name.slice(0, 40)}.`]
  return known.test(values.join('=')) ? [] : [`has a value that ${name} cannot have.`]
}
