/** Makes, checks and parses UUIDs: version 7 sorts by time, version 5 derives from a name (RFC 9562). */

import { hash } from 'node:crypto'
import type { Chance, Clock } from './clock.ts'

/** The digits that the two bits of the variant leave possible. */
const variants = '89ab'

/** Characters of a UUID, and where the dashes stand between them. */
const uuidLength = 36
const dashPlaces = new Set([8, 13, 18, 23])
const isDashAt = Array.from({ length: uuidLength }, (_, at) => dashPlaces.has(at))

/** Whether `text` is a UUID of any version, in either case of letters. */
export function isUuid(text: string): boolean {
  if (text.length !== uuidLength) return false
  // character by character: this is asked several times for each request, and takes less than a pattern
  for (let at = 0; at < uuidLength; at += 1) {
    const code = text.charCodeAt(at)
    if (isDashAt[at] ? code !== dash : !isDigit(code)) return false
  }
  return true
}

/** A new UUID of version 7 (RFC 9562): 48 bits of the clock's milliseconds, the rest from chance. */
export function uuidV7(clock: Clock, chance: Chance): string {
  return uuidText(uuidV7Bytes(clock, chance))
}

/** The 16 bytes of a new UUID of version 7. */
export function uuidV7Bytes(clock: Clock, chance: Chance): Uint8Array {
  const bytes = new Uint8Array(16)
  bytes.set(chance.bytes(10), 6)
  let rest = clock.nowMs()
  for (let at = 5; at >= 0; at--) {
    bytes[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return stampVersion(bytes, 7)
}

/** The UUID of version 5 (RFC 9562) of a name in a namespace: always the same for the same two. The namespace is a UUID. */
export function uuidV5(namespace: string, name: string): string {
  const input = Buffer.allocUnsafe(16 + Buffer.byteLength(name))
  input.set(uuidBytes(namespace))
  input.write(name, 16)
  const hex = hash('sha1', input, 'hex')
  const variant = variants[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The 16 bytes of a UUID's text. Throws when the text is not a UUID. */
export function uuidBytes(uuid: string): Uint8Array {
  if (!isUuid(uuid)) {
    throw new Error('not a UUID')
  }
  const bytes = new Uint8Array(16)
  // digit by digit, since a buffer made of hexadecimal text takes several times longer
  for (let at = 0, from = 0; at < 16; at += 1, from += 2) {
    if (uuid.charCodeAt(from) === dash) from += 1
    bytes[at] = (digitOf(uuid.charCodeAt(from)) << 4) | digitOf(uuid.charCodeAt(from + 1))
  }
  return bytes
}

const dash = 0x2d
const letterBit = 0x40

/** Whether a code in ASCII is that of a hexadecimal digit, in either case. */
function isDigit(code: number): boolean {
  const small = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (small >= 0x61 && small <= 0x66)
}

/** The value of a hexadecimal digit by its code in ASCII, in either case. */
function digitOf(code: number): number {
  return (code & letterBit) === 0 ? code & 0x0f : (code & 0x0f) + 9
}

/** Writes version and variant into these 16 bytes, and returns them. */
export function stampVersion(bytes: Uint8Array, version: number): Uint8Array {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4)
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
