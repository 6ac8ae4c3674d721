/** What the parts of the service share: the stores, the streams in memory, the clock. */

import { commandContext, type Intention } from '../../commands/handling/commandContext.ts'
import type { Family } from '../../commands/handling/family.ts'
import { type Command, type Handled, handle } from '../../commands/handling/handle.ts'
import type { Streams } from '../../commands/handling/streams.ts'
import { openStreams } from '../../commands/handling/streams.ts'
import { openTurns, type Turns } from '../../commands/handling/turns.ts'
import { type DispatchState, dispatchFamily } from '../../commands/signals/recordDispatch.ts'
import type { Call, Written } from '../../domain/call.ts'
import type { Chance, Clock } from '../../domain/clock.ts'
import { type Computing, openComputing } from '../../domain/computing.ts'
import { managedAccount } from '../../domain/managedAccount.ts'
import type { Principal } from '../../domain/principal.ts'
import {
  type AccountEvent,
  type AccountState,
  evolveAccount,
  noAccount,
} from '../../events/accounts/account.ts'
import { type ErasureEvent, erasureStream } from '../../events/audit/erasure.ts'
import { decode, encode } from '../../events/catalogue.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import {
  emptyManagedRulebook,
  evolveManagedRulebook,
  type ManagedEvent,
  type ManagedRulebook,
} from '../../events/rulebook/managedRulebook.ts'
import {
  emptyRulebook,
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../events/rulebook/rulebook.ts'
import type { DispatchEvent } from '../../events/signals/dispatch.ts'
import type { SharedProjections } from '../../projections/running/projections.ts'
import type { Answering } from '../../queries/heavyQuestions.ts'
import type { EventStore, NewEvent } from '../../stores/eventStore.ts'
import type { OpenKeyring } from '../../stores/keyring.ts'
import type { ReadStore } from '../../stores/readStore.ts'
import { answerHere } from './answering.ts'
import type { Background } from './background.ts'
import {
  type Followed,
  followConfiguration,
  type HeldStreams,
  isCurrent,
  notFollowed,
} from './followConfiguration.ts'
import { type HeavyReads, type HeavyReadsOptions, openHeavyReads } from './heavyReads.ts'

/** How long an answered write waits to be seen by the read models. */
const visibleMs = 1_000

/** Streams of a family that stay folded in memory. */
const accountsCached = 10_000
const rulebooksCached = 1_000
const dispatchesCached = 1_000

export interface Dependencies {
  readonly events: EventStore
  readonly documents: ReadStore
  readonly keyring: Keyring & Pick<OpenKeyring, 'storesKeys' | 'destroy' | 'forget'>
  readonly projections: SharedProjections
  readonly clock: Clock
  readonly chance: Chance
  readonly background: Background
  /** Who answers the heavy questions; the caller's thread unless given. */
  readonly answering?: Answering
  /** Told of each question that was refused because there were too many. */
  readonly onRefused?: HeavyReadsOptions['onRefused']
}

export interface ServiceContext extends Omit<Dependencies, 'answering' | 'onRefused'> {
  readonly heavyReads: HeavyReads
  /** Runs of the engine, by account. */
  readonly computing: Computing
  /** How far this instance has followed the configuration in the log; see `follow`. */
  readonly followed: Followed
  readonly turns: Turns
  readonly accounts: Streams<AccountState, AccountEvent>
  readonly rulebooks: Streams<RulebookState, RulebookEvent>
  /** Of one stream only, in memory from the start; see `managedRulebook`. */
  readonly managed: Streams<ManagedRulebook, ManagedEvent>
  readonly dispatches: Streams<DispatchState, DispatchEvent>
  readonly encode: (events: readonly DomainEvent[], context: EventContext) => readonly NewEvent[]
}

/** The context over its stores. */
export function openServiceContext(dependencies: Dependencies): ServiceContext {
  const { events: store, clock, answering = answerHere(dependencies), onRefused } = dependencies
  const followed = notFollowed()
  const isFollowed = () => isCurrent(followed, clock)
  const streams = <State, Event extends DomainEvent>(
    family: Family<State, Event>,
    cachedMax: number,
  ) => openStreams({ store, decode, family, cachedMax, isFollowed })
  return {
    ...dependencies,
    heavyReads: openHeavyReads({ answering, ...(onRefused && { onRefused }) }),
    computing: openComputing(),
    followed,
    turns: openTurns(),
    accounts: streams({ initial: () => noAccount, evolve: evolveAccount }, accountsCached),
    rulebooks: streams({ initial: emptyRulebook, evolve: evolveRulebook }, rulebooksCached),
    managed: streams({ initial: emptyManagedRulebook, evolve: evolveManagedRulebook }, 1),
    // not followed: a dispatch is only ever decided on, which catches up
    dispatches: streams(dispatchFamily, dispatchesCached),
    encode: (events, context) =>
      events.map((event, index) => encode({ event, context, index }, dependencies.keyring)),
  }
}

/**
 * Follows the configuration in the log, until it is closed: accounts and rulebooks, the managed one among them, and who was erased. To be called before
 * anything is held; until then, and while the log cannot be followed, every use of a stream reads on in the log. Rejects with what the
 * store throws.
 */
export function follow(
  { events, clock, followed, accounts, rulebooks, managed, keyring }: ServiceContext,
  onFault: (error: unknown) => void,
): Promise<{ readonly close: () => Promise<void> }> {
  const rulebookOf = (stream: string): HearsAndDistrusts =>
    stream === managedStream ? managed : rulebooks
  const held: readonly HeldStreams[] = [
    { prefix: accountStream(''), hear: accounts.hear, distrust: accounts.distrust },
    {
      prefix: rulebookStream(''),
      hear: (recorded) => rulebookOf(recorded.stream).hear(recorded),
      distrust: (stream) => rulebookOf(stream).distrust(stream),
    },
    {
      prefix: erasureStream(''),
      hear: (recorded) => keyring.forget((decode(recorded).event as ErasureEvent).data.keys),
      // nothing is held of it: whoever needs a key that was not forgotten finds it destroyed
      distrust: () => undefined,
    },
  ]
  return followConfiguration({ events, clock, followed, held, onFault })
}

type HearsAndDistrusts = Pick<HeldStreams, 'hear' | 'distrust'>

export const accountStream = (accountId: string): string => `account-${accountId}`
export const rulebookStream = (accountId: string): string => `rulebook-${accountId}`

export const managedStream = rulebookStream(managedAccount)

/**
 * The managed rules and recipes as this instance has followed them: one object, folded in place. What is decided or evaluated on it asks
 * `managed.folded` first, which reads on when nobody follows.
 */
export function managedRulebook({ managed }: Pick<ServiceContext, 'managed'>): ManagedRulebook {
  const folded = managed.peek(managedStream)
  if (!folded) throw new Error('the managed rulebook has not been opened')
  return folded.state
}

/** The context of a call's command; see `commandContext`. */
export function eventContextOf(
  context: ServiceContext,
  call: Call<Principal>,
  intention: Intention,
): EventContext {
  const { clock, chance, keyring } = context
  return commandContext(call, intention, { clock, chance, digest: keyring.digest })
}

/** Carries a command out and waits, within a limit, until the read models show it. */
export async function write<State, Event extends DomainEvent>(
  context: ServiceContext,
  streams: Streams<State, Event>,
  command: Command<State, Event>,
): Promise<Written<Handled<State, Event>>> {
  return whenVisible(context, await carryOut(context, streams, command))
}

/** Carries a command out. The state is folded in place, so what is wanted of it is to be taken at once. */
export async function carryOut<State, Event extends DomainEvent>(
  context: ServiceContext,
  streams: Streams<State, Event>,
  command: Command<State, Event>,
): Promise<Handled<State, Event>> {
  const { events: store, turns, encode: encodeEvents } = context
  return handle({ store, turns, streams, encode: encodeEvents }, command)
}

/** Waits, within a limit, until the read models show what was written. */
export async function whenVisible<Value extends { readonly position: number }>(
  context: ServiceContext,
  value: Value,
): Promise<Written<Value>> {
  const visible = await context.projections.waitFor(value.position, visibleMs)
  return { value, position: value.position, visible }
}
