/** Declares wrapped sealing keys for a copy between stores, and counts and digests them. */

import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'

/** A key: its secret wrapped by the master key, or when it was destroyed. */
export type KeptKey =
  | { readonly id: string; readonly wrapped: Uint8Array }
  | { readonly id: string; readonly destroyedAtMs: number }

interface KeyCount {
  readonly keys: number
  /** How many are on record as destroyed. */
  readonly destroyed: number
}

export interface KeptKeys {
  /** The next ones in the order of their ids, bounded; none behind the last one. */
  readonly after: (id: string) => Promise<readonly KeptKey[]>
  /** About how many there are, destroyed ones among them. */
  readonly size: () => Promise<number>
  /** See `masterKeyProof`; undefined before the first key. */
  readonly proof: () => Promise<Uint8Array | undefined>
}

/** Takes keys of another store. */
export interface KeyTarget extends Pick<KeptKeys, 'after' | 'proof'> {
  /** A key that is there stays as it is, unless it is destroyed by this; none that was destroyed comes back. So the same again changes nothing. */
  readonly put: (page: readonly KeptKey[]) => Promise<void>
  /** Called when all keys are there: only from then on are they the keys of this master key. Answers the proof that is kept. */
  readonly finish: (proof: Uint8Array) => Promise<Uint8Array | undefined>
}

/** All of them in the order of their ids, page by page. Ends with the reason of the signal; throws what the store throws. */
export async function* walkKeys(
  { after }: Pick<KeptKeys, 'after'>,
  signal: AbortSignal,
): AsyncGenerator<readonly KeptKey[], void, undefined> {
  let last = ''
  for (;;) {
    signal.throwIfAborted()
    const page = await after(last)
    const end = page.at(-1)
    if (!end) return
    yield page
    last = end.id
    // an interruption is heard only between two turns
    await turn()
  }
}

export interface KeyDigest extends KeyCount {
  /** SHA-256, hexadecimal, over a line of JSON for each key: id, wrapped secret in base64, time of its destruction. */
  readonly digest: string
}

/** Counts keys and digests them: to be told of every one in the order of ids, then asked once. */
export function keyDigest(): { add: (key: KeptKey) => void; end: () => KeyDigest } {
  const hash = createHash('sha256')
  const count = { keys: 0, destroyed: 0 }
  return {
    add: (key) => {
      count['wrapped' in key ? 'keys' : 'destroyed'] += 1
      hash.update(`${lineOf(key)}\n`)
    },
    end: () => ({ ...count, digest: hash.digest('hex') }),
  }
}

function lineOf(key: KeptKey): string {
  const wrapped = 'wrapped' in key ? Buffer.from(key.wrapped).toString('base64') : null
  return JSON.stringify([key.id, wrapped, 'wrapped' in key ? null : key.destroyedAtMs])
}
