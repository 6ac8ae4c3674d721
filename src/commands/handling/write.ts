/** Carries a command of a call out: its context, the append, and the wait for the read models. */

import type { Call, Written } from '../../domain/call.ts'
import type { Principal } from '../../domain/principal.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import { commandContext, type Intention } from './commandContext.ts'
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

/** Carries a command out. The state is folded in place, so what is wanted of it is to be taken at once. */
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
