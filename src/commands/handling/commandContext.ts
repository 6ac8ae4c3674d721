/** The context of a command's events: who, when, why, and which command. */

import { canonicalJson } from '../../domain/canonicalJson.ts'
import type { Chance, Clock } from '../../domain/clock.ts'
import type { Principal } from '../../domain/principal.ts'
import { uuidV5, uuidV7 } from '../../domain/uuid.ts'
import type { EventContext } from '../../events/recording/event.ts'

/** Namespace of the command ids that an `Idempotency-Key` gives. */
const namespace = '8f6a5e0c-5b0e-5d4e-9c57-1f0b2f6d7a31'

/** Who asks for a change. */
interface Caller {
  readonly principal: Principal
  readonly requestId: string
  readonly idempotencyKey?: string
}

/** What is asked for, as the doors understood it. */
export interface Intention {
  /** The account it changes. */
  readonly account: string
  /** What is to be done, and to what: `rules.replace rul_…`. */
  readonly operation: string
  /** Everything the outcome depends on; compared when the same key comes again. */
  readonly input: unknown
}

export interface ContextSources {
  readonly clock: Clock
  readonly chance: Chance
  /** Keyed digest of a text, for one purpose. */
  readonly digest: (purpose: string, text: string) => string
}

/**
 * The context. With an `Idempotency-Key` the command's id depends on the account, the operation and the key alone, so that the same
 * command sent twice has the same id; without one it is a new UUIDv7.
 */
export function commandContext(
  { principal, requestId, idempotencyKey }: Caller,
  { account, operation, input }: Intention,
  { clock, chance, digest }: ContextSources,
): EventContext {
  const actor = principal.kind === 'operator' ? 'operator' : principal.tokenId
  const time = clock.nowMs()
  if (idempotencyKey === undefined) {
    return { account, actor, request: requestId, time, command: uuidV7(clock, chance) }
  }
  return {
    account,
    actor,
    request: requestId,
    time,
    command: uuidV5(namespace, JSON.stringify([account, operation, idempotencyKey])),
    digest: digest('request', canonicalJson(input)),
  }
}
