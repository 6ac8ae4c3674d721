/**
 * The binding of a log on a server to a key store: the first event of the log names a key of it. Whoever lacks that key would seal what
 * the others cannot read.
 */

import type { Chance, Clock } from '../../domain/clock.ts'
import { managedAccount } from '../../domain/managedAccount.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { decode, encode } from '../../events/catalogue.ts'
import { type KeyBindingEvent, keyBindingStream } from '../../events/operations/keyBinding.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import { noKeyring } from '../../events/recording/noKeyring.ts'
import type { EventStore, ExpectedRevision } from '../../stores/eventStore.ts'
import type { KeyStore } from '../../stores/keyStore.ts'

/** One for each loss of all keys that was accepted, and the first. */
const bindingsMax = 1_000

type LogOfBindings = Pick<EventStore, 'append' | 'readStream'>

export interface KeyBinding {
  readonly events: LogOfBindings
  readonly store: Pick<KeyStore, 'make' | 'keys'>
  readonly clock: Clock
  readonly chance: Chance
}

/** The id of the key that the key store of this log has; undefined when nobody has bound the log yet. Throws `unavailable`. */
export async function boundKey(
  events: Pick<EventStore, 'readStream'>,
): Promise<string | undefined> {
  return (await lastBinding(events))?.key
}

/**
 * Binds the log to the store when nobody has. Answers whether the store is the one that the log is bound to, be it by somebody else in the
 * same moment. Throws `unavailable` when log or store cannot be read or written.
 */
export async function bindKeys(binding: KeyBinding): Promise<boolean> {
  const { events, store } = binding
  const found = await boundKey(events)
  if (found !== undefined) return has(store, found)
  if (await appendBinding(binding, 'no_stream')) return true
  const others = await boundKey(events)
  return others !== undefined && has(store, others)
}

/** Binds a log whose binding names a key that is given up to the store. Throws an `Error` when somebody else writes meanwhile. */
export async function bindKeysAnew(binding: KeyBinding): Promise<void> {
  const last = await lastBinding(binding.events)
  if (!last || (await has(binding.store, last.key))) return
  if (await appendBinding(binding, last.revision)) return
  throw new Error('Somebody else writes to the log: stop every service that uses it first.')
}

/** Whether it has, or had and destroyed, the key. */
async function has(store: Pick<KeyStore, 'keys'>, key: string): Promise<boolean> {
  return (await store.keys([key])).has(key)
}

async function lastBinding(
  events: Pick<EventStore, 'readStream'>,
): Promise<{ readonly key: string; readonly revision: number } | undefined> {
  const page = await events.readStream(keyBindingStream, { from: 0, limit: bindingsMax })
  const last = page.at(-1)
  if (!last) return undefined
  const { event } = decode(last) as DecodedEvent<KeyBindingEvent>
  return { key: event.data.key, revision: last.revision }
}

/** The key is on disk before the log names it. False when somebody else has bound the log since. */
async function appendBinding(
  { events, store, clock, chance }: KeyBinding,
  expected: ExpectedRevision,
): Promise<boolean> {
  const [made] = await store.make(1)
  if (!made) throw new Error('the key store made no key')
  const event: KeyBindingEvent = { type: 'KeyStoreBound', data: { key: made.id } }
  const context = {
    account: managedAccount,
    actor: 'service',
    request: '',
    command: uuidV7(clock, chance),
    time: clock.nowMs(),
  }
  const encoded = encode({ event, context, index: 0 }, noKeyring)
  const answer = await events.append({ stream: keyBindingStream, events: [encoded], expected })
  return answer.ok
}
