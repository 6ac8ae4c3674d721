/** Validates and parses the EventStoreDB connection string; messages never quote credentials. */

import { hasValidPort, isDecodable, portProblem } from './connectionString.ts'

export interface EventStoreDbConnectionOptions {
  /** The connection string without user name and password, which the client prints when it is debugged. */
  readonly url: string
  readonly credentials?: { readonly username: string; readonly password: string }
}

const pattern = /^(?<scheme>[^:]*):\/\/(?:(?<username>[^:@/]*):(?<password>[^@]*)@)?(?<rest>.*)$/su

/** Separates the credentials from a connection string without mistakes. */
export function parseEventStoreUrl(text: string): EventStoreDbConnectionOptions {
  const { scheme = '', username, password, rest = '' } = pattern.exec(text)?.groups ?? {}
  const url = `${scheme}://${rest}`
  if (username === undefined || password === undefined) return { url }
  return {
    url,
    credentials: { username: decodeURIComponent(username), password: decodeURIComponent(password) },
  }
}

/** Settings of the client, with their valid values. */
const settings: Readonly<Record<string, RegExp>> = {
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

/** The mistakes in a connection string, as advice; none when it is usable. No sentence quotes a user name or a password. */
export function findEventStoreUrlMistakes(text: string): readonly string[] {
  const { scheme, username, password, rest = '' } = pattern.exec(text)?.groups ?? {}
  if (scheme !== 'esdb' && scheme !== 'esdb+discover') {
    return ['must begin with esdb:// or esdb+discover://, also for a KurrentDB server.']
  }
  if (![username, password].every((text) => isDecodable(text))) {
    return ['has a user name or a password that is not percent-encoded.']
  }
  const [hosts = '', query, ...more] = rest.replace(/\/+(?=$|\?)/, '').split('?')
  if (rest.includes('@')) return ['has an @ in the user name or the password: write it as %40.']
  if (!hosts.split(',').every(isHost)) return ['must name hosts as host or host:port.']
  if (!hosts.split(',').every(hasValidPort)) return [portProblem]
  if (more.length > 0) return ['has more than one question mark.']
  return (query === undefined ? [] : query.split('&')).flatMap(settingMistakes)
}

/** Warnings about a usable connection string that may not mean what its author thinks. */
export function findEventStoreUrlWarnings(text: string): readonly string[] {
  const { username, rest = '' } = pattern.exec(text)?.groups ?? {}
  if (username === undefined || !/[?&]tls=false/i.test(rest)) return []
  return ['has tls=false: the user name and the password are not sent to the server.']
}

function isHost(host: string): boolean {
  return /^[\w.-]{1,255}(?::\d{1,5})?$/.test(host)
}

function settingMistakes(setting: string): readonly string[] {
  const [name = '', ...values] = setting.split('=')
  const known = settings[name.toLowerCase().replaceAll(/[_-]/g, '')]
  if (!known) return [`has a setting that is not known: ${name.slice(0, 40)}.`]
  return known.test(values.join('=')) ? [] : [`has a value that ${name} cannot have.`]
}
