/** Records the last use of API tokens and SDK keys, one event for each hour with a use. */

import { LRUCache } from 'lru-cache'
import { uuidV5 } from '../../domain/uuid.ts'
import type { SdkKeyUseEvent, TokenUseEvent } from '../../events/accounts/credentialUse.ts'
import type { EventContext } from '../../events/recording/event.ts'
import type { Context } from '../handling/context.ts'

/** Namespace of the command ids under which uses are recorded. */
const namespace = 'c7a0f6a1-55f3-5e0b-9f0e-64c9a6d3b8f2'

const hourMs = 60 * 60 * 1_000

type UseEvent = TokenUseEvent | SdkKeyUseEvent

/** What is used: how the stream of an hour is called, and its event. */
const kinds = {
  token: { prefix: 'token_use', event: (id) => ({ type: 'ApiTokenUsed', data: { token_id: id } }) },
  sdkKey: { prefix: 'sdk_key_use', event: (id) => ({ type: 'SdkKeyUsed', data: { key_id: id } }) },
} as const satisfies Readonly<
  Record<string, { readonly prefix: string; readonly event: (id: string) => UseEvent }>
>

type UsedKind = keyof typeof kinds

interface Use {
  readonly kind: UsedKind
  readonly accountId: string
  /** Of the token or key. */
  readonly id: string
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number
}

/** When the hour of this time is over. */
function hourEnd(timeMs: number): number {
  return (Math.floor(timeMs / hourMs) + 1) * hourMs
}

/**
 * The append that records a use, to a new stream. It has the same ids for every use of the hour, in whichever instance, so that it is
 * written once.
 */
function recordUse({ kind, accountId, id, timeMs }: Use): {
  readonly stream: string
  readonly context: EventContext
  readonly events: readonly UseEvent[]
} {
  const hour = Math.floor(timeMs / hourMs)
  const { prefix, event } = kinds[kind]
  return {
    stream: `${prefix}-${id}-${hour}`,
    context: {
      account: accountId,
      actor: id,
      request: '',
      command: uuidV5(namespace, `${id} ${hour}`),
      time: timeMs,
    },
    events: [event(id)],
  }
}

/** Ids whose last record is remembered; the use of any other is written once more, which changes nothing. */
const idsMax = 100_000

/** How long to wait when a use could not be recorded. */
const restMs = 60_000

const names = { token: 'a token', sdkKey: 'an SDK key' } as const satisfies Record<UsedKind, string>

/** Until when the use of an id is on record, or not to be tried again. */
export type LastUses = LRUCache<string, number>

export function openLastUses(): LastUses {
  return new LRUCache({ max: idsMax })
}

/**
 * Records the use of a token or key, the first in each hour, in the background: no request waits for it or fails
 * with it. What is cached here only saves writes; see `recordUse`.
 */
export function noteUse(
  { background, encode, events: log }: Pick<Context, 'background' | 'encode' | 'events'>,
  lastUses: LastUses,
  use: Use,
): void {
  const { kind, id, timeMs } = use
  if (timeMs < (lastUses.get(id) ?? 0)) return
  lastUses.set(id, hourEnd(timeMs))
  const { stream, context, events } = recordUse(use)
  background.run(async () => {
    try {
      await log.append({ stream, events: encode(events, context), expected: 'no_stream' })
    } catch (error) {
      lastUses.set(id, timeMs + restMs)
      const message = `The last use of ${names[kind]} could not be recorded; it is tried again.`
      throw new Error(message, { cause: error })
    }
  })
}
