/** Keeps when an API token or a key of front ends was used last: one event for each hour in which it was. */

import { uuidV5 } from '../../domain/uuid.ts'
import type { SdkKeyUseEvent } from '../../events/accounts/sdkKeyUse.ts'
import type { TokenUseEvent } from '../../events/accounts/tokenUse.ts'
import type { EventContext } from '../../events/recording/event.ts'

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

export type UsedKind = keyof typeof kinds

interface Use {
  readonly kind: UsedKind
  readonly accountId: string
  /** Of the token or key. */
  readonly id: string
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
export function recordUse({ kind, accountId, id, timeMs }: Use): {
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
