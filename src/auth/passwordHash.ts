/** Hashes and verifies passwords (argon2id, RFC 9106); detects outdated hashes, makes decoys. */

import { type Algorithm, hash, parseOptions, type Version, verify } from '@node-rs/argon2'
import type { Random } from '../domain/clock.ts'

export interface HashCost {
  readonly memoryKib: number
  readonly passes: number
}

/** From OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
export const defaultHashCost: HashCost = { memoryKib: 19 * 1024, passes: 2 }

/** Argon2id of version 1.3, by their numbers: the library's names are erased when it is compiled. */
const argon2id = 2 satisfies Algorithm
const version13 = 1 satisfies Version
const lanes = 1
const saltBytes = 16
const digestBytes = 32

/** The hash of a password in its canonical form, made on a thread of libuv's pool. */
export function hashPassword(
  password: string,
  random: Random,
  cost = defaultHashCost,
): Promise<string> {
  return hash(Buffer.from(password), {
    algorithm: argon2id,
    version: version13,
    memoryCost: cost.memoryKib,
    timeCost: cost.passes,
    parallelism: lanes,
    outputLen: digestBytes,
    salt: random.bytes(saltBytes),
  })
}

/** Whether a canonical password has this hash: constant time, on a libuv thread. Rejects for text that is no hash. */
export function verifyPassword(password: string, stored: string): Promise<boolean> {
  return verify(stored, Buffer.from(password))
}

/** Whether a stored hash costs less than the current one. Throws for text that is no hash. */
export function needsRehash(stored: string, cost = defaultHashCost): boolean {
  const { algorithm, version, memoryCost, timeCost } = parseOptions(stored)
  const isCurrent = algorithm === argon2id && version === version13
  return !isCurrent || memoryCost < cost.memoryKib || timeCost < cost.passes
}

/** A hash without a known password; comparing with it costs as much as with a real one. */
export function makeDecoyHash(
  random: Random,
  { memoryKib, passes }: HashCost = defaultHashCost,
): string {
  const text = (count: number): string =>
    Buffer.from(random.bytes(count)).toString('base64').replaceAll('=', '')
  const cost = `m=${memoryKib},t=${passes},p=${lanes}`
  return `$argon2id$v=19$${cost}$${text(saltBytes)}$${text(digestBytes)}`
}
