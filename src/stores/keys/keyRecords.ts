/** Declares wrapped key records for copies between stores, pages through and digests them. */

import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'

/** A key: its secret wrapped by the master key, or when it was destroyed. */
export type KeyRecord =
  | { readonly id: string; readonly wrapped: Uint8Array }
  | { readonly id: string; readonly destroyedAtMs: number }

export interface KeyRecords {
  /** The next page in the order of ids; empty after the last key. */
  readonly after: (id: string) => Promise<readonly KeyRecord[]>
  /** About how many there are, with destroyed ones. */
  readonly size: () => Promise<number>
  /** See `computeMasterKeyProof`; undefined before the first key. */
  readonly proof: () => Promise<Uint8Array | undefined>
}

/** Takes keys of another store. */
export interface KeyTarget extends Pick<KeyRecords, 'after' | 'proof'> {
  /** Adds keys that are missing and records destructions; an existing or destroyed key is not replaced, so repeating it changes nothing. */
  readonly put: (page: readonly KeyRecord[]) => Promise<void>
  /** Called after all keys: stores the proof of their master key unless there is one. Returns the stored proof. */
  readonly finish: (proof: Uint8Array) => Promise<Uint8Array | undefined>
}

/** All of them in the order of their ids, page by page. Ends with the reason of the signal; throws what the store throws. */
export async function* walkKeys(
  { after }: Pick<KeyRecords, 'after'>,
  signal: AbortSignal,
): AsyncGenerator<readonly KeyRecord[], void, undefined> {
  let last = ''
  for (;;) {
    signal.throwIfAborted()
    const page = await after(last)
    const end = page.at(-1)
    if (!end) return
    yield page
    last = end.id
    // lets an interruption in
    await turn()
  }
}

export interface KeyDigest {
  readonly keys: number
  /** Number of recorded destructions. */
  readonly destroyed: number
  /** SHA-256, hexadecimal, over a JSON array for each key: id, wrapped secret in base64, time of its destruction. */
  readonly digest: string
}

/** Counts and digests keys: `add` every key in the order of ids, then `end` once. */
export function createKeyDigest(): { add: (key: KeyRecord) => void; end: () => KeyDigest } {
  const hash = createHash('sha256')
  const count = { keys: 0, destroyed: 0 }
  return {
    add: (key) => {
      count['wrapped' in key ? 'keys' : 'destroyed'] += 1
      hash.update(`${jsonOf(key)}\n`)
    },
    end: () => ({ ...count, digest: hash.digest('hex') }),
  }
}

function jsonOf(key: KeyRecord): string {
  const wrapped = 'wrapped' in key ? Buffer.from(key.wrapped).toString('base64') : null
  return JSON.stringify([key.id, wrapped, 'wrapped' in key ? null : key.destroyedAtMs])
}
