/** Records the last use of API tokens and SDK keys, at most one event per hour. */

import { LRUCache } from 'lru-cache'
import { uuidV5 } from '../../domain/uuid.ts'
import type { SdkKeyUseEvent, TokenUseEvent } from '../../events/accounts/credentialUse.ts'
import type { CommandContext } from '../handling/commandContext.ts'

/** Namespace of the command ids under which uses are recorded. */
const namespace = 'c7a0f6a1-55f3-5e0b-9f0e-64c9a6d3b8f2'

const hourMs = 60 * 60 * 1_000

/** By kind: how messages name it, the stream of an hour is called, and its event. */
const kinds = {
  token: {
    name: 'a token',
    prefix: 'token_use',
    eventOf: (id: string): TokenUseEvent => ({ type: 'ApiTokenUsed', data: { token_id: id } }),
  },
  sdkKey: {
    name: 'an SDK key',
    prefix: 'sdk_key_use',
    eventOf: (id: string): SdkKeyUseEvent => ({ type: 'SdkKeyUsed', data: { key_id: id } }),
  },
}

interface Use {
  readonly kind: keyof typeof kinds
  readonly accountId: string
  /** Of the token or key. */
  readonly id: string
  /** Milliseconds since the Unix epoch. */
  readonly timeMs: number
}

/** Ids whose last record is remembered; the use of any other is written once more, which changes nothing. */
const idsMax = 100_000

/** How long to wait when a use could not be recorded. */
const restMs = 60_000

/** Until when the use of an id is on record, or not to be tried again. */
export type LastUses = LRUCache<string, number>

export function openLastUses(): LastUses {
  return new LRUCache({ max: idsMax })
}

/**
 * Records the use of a token or key, the first in each hour, in the background: no request waits for it or fails with
 * it. The stream and its ids are the same for every use of the hour, in whichever instance, so that it is written once;
 * what is cached here only saves writes.
 */
export function recordCredentialUse(
  { background, encode, events: log }: Pick<CommandContext, 'background' | 'encode' | 'events'>,
  lastUses: LastUses,
  { kind, accountId, id, timeMs }: Use,
): void {
  if (timeMs < (lastUses.get(id) ?? 0)) return
  const hour = Math.floor(timeMs / hourMs)
  lastUses.set(id, (hour + 1) * hourMs)
  const { name, prefix, eventOf } = kinds[kind]
  const command = uuidV5(namespace, `${id} ${hour}`)
  const context = { account: accountId, actor: id, request: '', command, time: timeMs }
  background.run(async () => {
    try {
      const events = encode([eventOf(id)], context)
      await log.append({ stream: `${prefix}-${id}-${hour}`, events, expected: 'no_stream' })
    } catch (error) {
      lastUses.set(id, timeMs + restMs)
      const message = `The last use of ${name} could not be recorded; it is tried again.`
      throw new Error(message, { cause: error })
    }
  })
}
