/** Notices which tokens are used, without a write for every request. */

import { hourEnd, recordTokenUse } from '../../commands/accounts/recordTokenUse.ts'
import { lru } from '../../domain/lru.ts'
import type { AccountPrincipal } from '../../domain/principal.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/** Tokens whose last record is remembered; the use of any other is written once more, which changes nothing. */
const tokensMax = 100_000

/** How long to let it be when a use could not be recorded. */
const restMs = 60_000

/**
 * Records the use of a token, the first in each hour, after the request that made it has gone on: no request waits for it or fails
 * with it. What is remembered here only saves writes; see `recordTokenUse`.
 */
export function openTokenUse(
  context: ServiceContext,
): (principal: AccountPrincipal, nowMs: number) => void {
  const dueMs = lru<string, number>(tokensMax)
  return ({ accountId, tokenId }, nowMs) => {
    if (nowMs < (dueMs.get(tokenId) ?? 0)) return
    dueMs.set(tokenId, hourEnd(nowMs))
    const use = recordTokenUse({ accountId, tokenId, timeMs: nowMs })
    context.background.run(async () => {
      try {
        const events = context.encode(use.events, use.context)
        await context.events.append({ stream: use.stream, events, expected: 'no_stream' })
      } catch (error) {
        dueMs.set(tokenId, nowMs + restMs)
        throw new Error('The last use of a token could not be recorded; it is tried again.', {
          cause: error,
        })
      }
    })
  }
}
