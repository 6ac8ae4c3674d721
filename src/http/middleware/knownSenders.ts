/** Who sends a request, as far as it can be told before its token is looked up. */

import { hash } from 'node:crypto'
import { lru } from '../../domain/lru.ts'
import type { Context } from '../request/context.ts'
import { shareKeyOf } from './shareKeyOf.ts'

/** Headers that were good lately, of the whole instance. */
const rememberedMax = 5_000
/** Longer headers carry no token of ours. */
const headerMax = 600

interface KnownSenders {
  /** The account behind the token, when that was good lately; else the address, and apart from both whoever watches the service. */
  readonly of: (ctx: Context, isMonitoring: boolean) => string
  /** To be called when the request has been looked at. */
  readonly learn: (ctx: Context) => void
}

/** Opens what is known: hashes of tokens, never tokens. It says whose turn it is and permits nothing. */
export function openKnownSenders(): KnownSenders {
  const keys = lru<string, string>(rememberedMax)
  return {
    of: (ctx, isMonitoring) => {
      if (isMonitoring) return `monitoring ${ctx.ip}`
      const hashed = hashOf(ctx)
      return (hashed && keys.get(hashed)) ?? `address ${ctx.ip}`
    },
    learn: (ctx) => {
      const key = shareKeyOf(ctx)
      const hashed = key && hashOf(ctx)
      if (key && hashed && keys.get(hashed) !== key) keys.set(hashed, key)
    },
  }
}

function hashOf({ req }: Context): string | undefined {
  const { authorization } = req.headers
  if (authorization === undefined || authorization.length > headerMax) return undefined
  return hash('sha256', authorization, 'base64')
}
