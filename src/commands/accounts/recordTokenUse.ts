/** Keeps when an API token was used last: one event for each hour in which it was. */

import { uuidV5 } from '../../domain/uuid.ts'
import type { TokenUseEvent } from '../../events/accounts/tokenUse.ts'
import type { EventContext } from '../../events/recording/event.ts'

/** Namespace of the command ids under which uses are recorded. */
const namespace = 'c7a0f6a1-55f3-5e0b-9f0e-64c9a6d3b8f2'

const hourMs = 60 * 60 * 1_000

interface TokenUse {
  readonly accountId: string
  readonly tokenId: string
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number
}

/** When the hour of this time is over. */
export function hourEnd(timeMs: number): number {
  return (Math.floor(timeMs / hourMs) + 1) * hourMs
}

/**
 * What is to be written of a use, to a stream that does not exist: under the same ids for every use of the hour, whoever notices it,
 * so that it is written once.
 */
export function recordTokenUse({ accountId, tokenId, timeMs }: TokenUse): {
  readonly stream: string
  readonly context: EventContext
  readonly events: readonly TokenUseEvent[]
} {
  const hour = Math.floor(timeMs / hourMs)
  return {
    stream: `token_use-${tokenId}-${hour}`,
    context: {
      account: accountId,
      actor: tokenId,
      request: '',
      command: uuidV5(namespace, `${tokenId} ${hour}`),
      time: timeMs,
    },
    events: [{ type: 'ApiTokenUsed', data: { token_id: tokenId } }],
  }
}
