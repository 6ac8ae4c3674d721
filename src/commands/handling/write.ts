/** Carries out the command of a call: builds its context, appends, waits for the read models. */

import type { Call, Written } from '../../domain/call.ts'
import type { Chance, Clock } from '../../domain/clock.ts'
import type { Principal } from '../../domain/principal.ts'
import { canonicalJson } from '../../domain/text/canonicalJson.ts'
import { uuidV5, uuidV7 } from '../../domain/uuid.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { Appending, Context } from './context.ts'
import { type Command, type Handled, handle } from './handle.ts'
import type { Streams } from './streams.ts'

/** How long an answered write waits to be seen by the read models. */
const visibleMs = 1_000

/** The context of a call's command; see `commandContext`. */
export function eventContextOf(
  { clock, chance, keyring }: Pick<Context, 'clock' | 'chance' | 'keyring'>,
  call: Call<Principal>,
  intention: Intention,
): EventContext {
  return commandContext(call, intention, { clock, chance, digest: keyring.digest })
}

/** The context of a command that another brings about: with an id of its own, known by no key. */
export function derivedContext(
  { clock, chance }: Pick<Context, 'clock' | 'chance'>,
  { account, actor, request, time }: EventContext,
): EventContext {
  return { account, actor, request, time, command: uuidV7(clock, chance) }
}

/** Carries a command out and waits, within a limit, until the read models show it. */
export async function write<State, Event extends DomainEvent>(
  context: Appending & Pick<Context, 'projections'>,
  streams: Streams<State, Event>,
  command: Command<State, Event>,
): Promise<Written<Handled<State, Event>>> {
  return whenVisible(context, await carryOut(context, streams, command))
}

/** Carries a command out. The state is folded in place, so the caller must take what it needs at once. */
export async function carryOut<State, Event extends DomainEvent>(
  { events: store, oneByOne, encode }: Appending,
  streams: Streams<State, Event>,
  command: Command<State, Event>,
): Promise<Handled<State, Event>> {
  return handle({ store, oneByOne, streams, encode }, command)
}

/** Waits, within a limit, until the read models show what was written. */
export async function whenVisible<Value extends { readonly position: number }>(
  { projections }: Pick<Context, 'projections'>,
  value: Value,
): Promise<Written<Value>> {
  const { position } = value
  return { value, position, visible: await projections.waitFor(position, visibleMs) }
}

/** Namespace of the keys of commands that an `Idempotency-Key` gives. */
const namespace = '8f6a5e0c-5b0e-5d4e-9c57-1f0b2f6d7a31'

/** The caller that asks for a change. */
interface Caller {
  readonly principal: Principal
  readonly requestId: string
  readonly idempotencyKey?: string
}

/** The request of a command, as its route has parsed it. */
export interface Intention {
  /** The account it changes. */
  readonly account: string
  /** What is to be done, and to what: `rules.replace rul_…`. */
  readonly operation: string
  /** Everything the outcome depends on; compared when the same key comes again. */
  readonly input: unknown
  /** Of a large `input` its canonical text, made before. */
  readonly inputText?: string
  /** Whether the command makes a stream of its own, named by the command's id: its key is then known for ever. */
  readonly ownStream?: boolean
}

export interface ContextSources {
  readonly clock: Clock
  readonly chance: Chance
  /** Keyed digest of a text, for one purpose. */
  readonly digest: (purpose: string, text: string) => string
}

/**
 * The context. With an `Idempotency-Key` it has a key that depends on the account, the operation and the caller's key alone, so that
 * the same command sent twice is known by it. The command's id is a new UUIDv7, so that a command whose key was forgotten makes things
 * of its own; that of one with a stream of its own is the key.
 */
export function commandContext(
  { principal, requestId, idempotencyKey }: Caller,
  { account, operation, input, inputText, ownStream = false }: Intention,
  { clock, chance, digest }: ContextSources,
): EventContext {
  const actor = actorOf(principal)
  const time = clock.nowMs()
  if (idempotencyKey === undefined) {
    return { account, actor, request: requestId, time, command: uuidV7(clock, chance) }
  }
  const common = { account, actor, request: requestId, time }
  const key = uuidV5(namespace, JSON.stringify([account, operation, idempotencyKey]))
  const named = ownStream ? { command: key } : { command: uuidV7(clock, chance), key }
  return { ...common, ...named, digest: digest('request', inputText ?? canonicalJson(input)) }
}

/** Who stands in the metadata of the events. */
function actorOf(principal: Principal): string {
  switch (principal.kind) {
    case 'operator':
      return 'operator'
    case 'account':
      return principal.tokenId
    case 'front_end':
      return principal.keyId
    case 'user':
      return principal.userId
    case 'application':
      return principal.appId
  }
}
