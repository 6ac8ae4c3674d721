/** Notices which tokens and keys of front ends are used, without a write for every request. */

import { LRUCache } from 'lru-cache'
import { hourEnd, recordUse, type UsedKind } from '../../commands/accounts/recordUse.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/** Ids whose last record is remembered; the use of any other is written once more, which changes nothing. */
const idsMax = 100_000

/** How long to let it be when a use could not be recorded. */
const restMs = 60_000

const names = { token: 'a token', sdkKey: 'an SDK key' } as const satisfies Record<UsedKind, string>

interface Used {
  readonly accountId: string
  /** Of the token or key. */
  readonly id: string
}

/**
 * Records the use of a token or key, the first in each hour, after the request that made it has gone on: no request waits for it or fails
 * with it. What is remembered here only saves writes; see `recordUse`.
 */
export function openLastUse(
  context: ServiceContext,
  kind: UsedKind,
): (used: Used, nowMs: number) => void {
  const dueMs = new LRUCache<string, number>({ max: idsMax })
  return ({ accountId, id }, nowMs) => {
    if (nowMs < (dueMs.get(id) ?? 0)) return
    dueMs.set(id, hourEnd(nowMs))
    const { stream, ...use } = recordUse({ kind, accountId, id, timeMs: nowMs })
    context.background.run(async () => {
      try {
        const events = context.encode(use.events, use.context)
        await context.events.append({ stream, events, expected: 'no_stream' })
      } catch (error) {
        dueMs.set(id, nowMs + restMs)
        const message = `The last use of ${names[kind]} could not be recorded; it is tried again.`
        throw new Error(message, { cause: error })
      }
    })
  }
}
