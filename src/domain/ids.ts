/** Makes and checks public ids (TypeID: prefix, UUID in base32), random or derived. */

import { hash } from 'node:crypto'
import type { Clock, Random } from './clock.ts'
import { Failure } from './failure.ts'
import { decodeFirstBytes, parseUuid, stampVersion, uuidV7Bytes } from './uuid.ts'

/** The prefixes in use; `flo`, `rcp`, `rul`, `evl` and `ses` are given by the spec (2.1 to 2.9). */
export const idPrefixes = {
  account: 'acc',
  token: 'tok',
  sdkKey: 'sdk',
  flow: 'flo',
  recipe: 'rcp',
  rule: 'rul',
  list: 'lst',
  version: 'ver',
  evaluation: 'evl',
  feedback: 'fbk',
  reportedEvent: 'evt',
  template: 'template',
  session: 'ses',
  user: 'usr',
  erasure: 'era',
  replay: 'rpl',
  backtest: 'bkt',
  search: 'sch',
  request: 'req',
} as const

export type IdPrefix = (typeof idPrefixes)[keyof typeof idPrefixes]

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const bodyPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** A new id: the base32 form of a UUID of version 7, so that ids of one kind sort by time. */
export function newId(prefix: IdPrefix, clock: Clock, random: Random): string {
  return `${prefix}_${encodeBase32(uuidV7Bytes(clock, random))}`
}

/**
 * The id of what a command creates under `label`, the same whenever the command is sent. It has the command's time when
 * its UUID is of version 7, else none (version 8). Throws when `command` is not a UUID.
 */
export function deriveId(prefix: IdPrefix, command: string, label: string): string {
  return `${prefix}_${encodeBase32(deriveBytes(command, `${prefix}:${label}`))}`
}

/** Like `deriveId`, for one of many ids of a command, sorted by `index`, 0 to 4,095 (RFC 9562, version 7). */
export function deriveIdAtIndex(prefix: IdPrefix, command: string, index: number): string {
  const bytes = deriveBytes(command, `${prefix}:many`)
  bytes[6] = ((bytes[6] ?? 0) & 0xf0) | (index >> 8)
  bytes[7] = index & 0xff
  return `${prefix}_${encodeBase32(bytes)}`
}

function deriveBytes(command: string, label: string): Uint8Array {
  const source = parseUuid(command)
  const name = `${command.toLowerCase()}:${label}`
  const bytes = decodeFirstBytes(hash('sha256', name, 'hex'))
  const timed = (source[6] ?? 0) >> 4 === 7
  if (timed) bytes.set(source.subarray(0, 6), 0)
  return stampVersion(bytes, timed ? 7 : 8)
}

/** Whether `text` is an id of this prefix: lower case, 26 characters, at most 128 bits. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 27 &&
    text.startsWith(prefix) &&
    text[prefix.length] === '_' &&
    bodyPattern.test(text.slice(prefix.length + 1))
  )
}

/** Every two characters, by their ten bits. */
const pairs = Array.from(alphabet, (one) => Array.from(alphabet, (two) => one + two)).flat()

/** 128 bits as 26 characters of 5 bits, two zero bits in front. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = ''
  let pending = 0
  let bits = 2
  for (const byte of bytes) {
    pending = (pending << 8) | byte
    bits += 8
    if (bits < 10) continue
    bits -= 10
    text += pairs[pending >> bits]
    pending &= (1 << bits) - 1
  }
  return text
}

/** The failure for an id that does not exist. */
export function idNotFoundFailure(prefix: IdPrefix): Failure {
  const code = prefix === idPrefixes.template ? 'template_not_found' : 'not_found'
  return new Failure(code, 'There is nothing with this id.')
}

/** Namespace of the ids of managed rules and recipes that ship. */
const namespace = '6d1f3a52-0c3e-4f0b-9a57-41f7f0a3c2d8'

/** The account of the managed rules. It is never opened and has no tokens. */
export const managedAccountId = deriveId('acc', namespace, 'managed')

/** The id of a shipped rule or recipe by its key, the same on every installation. */
export function shippedId(prefix: IdPrefix, key: string): string {
  return deriveId(prefix, namespace, key)
}
