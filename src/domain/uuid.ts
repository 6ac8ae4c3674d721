/** Makes, checks and parses UUIDs (RFC 9562): version 7 by time, version 5 from a name. */

import { hash } from 'node:crypto'
import type { Clock, Random } from './clock.ts'

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether `text` is a UUID of any version, in either case of letters. */
export function isUuid(text: string): boolean {
  return form.test(text)
}

/** A new UUID of version 7 (RFC 9562): 48 bits of the clock's milliseconds, the rest from random. */
export function uuidV7(clock: Clock, random: Random): string {
  return uuidText(uuidV7Bytes(clock, random))
}

/** The 16 bytes of a new UUID of version 7. */
export function uuidV7Bytes(clock: Clock, random: Random): Uint8Array {
  const bytes = new Uint8Array(16)
  bytes.set(random.bytes(10), 6)
  let rest = clock.nowMs()
  for (let at = 5; at >= 0; at--) {
    bytes[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return stampVersion(bytes, 7)
}

/** The UUID of version 5 (RFC 9562) of a name in a namespace, which is a UUID. */
export function uuidV5(namespace: string, name: string): string {
  const named = Buffer.concat([uuidBytes(namespace), Buffer.from(name)])
  const digest = hash('sha1', named, 'buffer')
  return uuidText(stampVersion(digest.subarray(0, 16), 5))
}

/** The 16 bytes of a UUID's text. Throws when the text is not a UUID. */
export function uuidBytes(uuid: string): Uint8Array {
  if (!isUuid(uuid)) throw new Error('not a UUID')
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

/** Writes version and variant into these 16 bytes, and returns them. */
export function stampVersion(bytes: Uint8Array, version: number): Uint8Array {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4)
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
