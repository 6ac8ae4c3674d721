/** Who sends a request, as far as it can be told before its token is looked up. */

import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type LoopTurns, turnsOfThread } from '../../domain/loopTurns.ts'

/** Headers that were good lately, of the whole instance. */
const rememberedMax = 5_000
/** Longer headers carry no token of ours. */
const headerMax = 600

/** What a request says of who sends it. */
export interface Sender {
  /** The header of that name. */
  readonly authorization: string | undefined
  /** Asked only where it is not known by that header. */
  readonly address: () => string | undefined
  /** Whether it asks for health or metrics. */
  readonly monitors: boolean
}

export interface KnownSenders {
  /** The account behind the token, when that was good lately; else the address, and apart from both whoever watches the service. */
  readonly of: (sender: Sender) => string
  /** To be called when it is known whose share (see `shareKeyOf`) a request with this header takes. */
  readonly learn: (authorization: string | undefined, key: string | undefined) => void
}

/** Opens what is known: hashes of tokens, never tokens. It says whose turn it is and permits nothing. */
export function openKnownSenders(): KnownSenders {
  const keys = new LRUCache<string, string>({ max: rememberedMax })
  return {
    of: ({ authorization, address, monitors }) => {
      if (monitors) return `monitoring ${address()}`
      const hashed = hashOf(authorization)
      return (hashed && keys.get(hashed)) ?? `address ${address()}`
    },
    learn: (authorization, key) => {
      const hashed = key && hashOf(authorization)
      if (key && hashed && keys.get(hashed) !== key) keys.set(hashed, key)
    },
  }
}

function hashOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > headerMax) return undefined
  return hash('sha256', authorization, 'base64')
}

export interface Arrivals {
  readonly turns: LoopTurns
  readonly senders: KnownSenders
}

/** Opens the arrivals of one door. */
export function openArrivals(turns: LoopTurns = turnsOfThread): Arrivals {
  return { turns, senders: openKnownSenders() }
}
