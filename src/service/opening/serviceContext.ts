/** What the parts of the service share: the stores, the streams in memory, the clock. */

import { getHeapStatistics } from 'node:v8'
import { accountFamily } from '../../commands/accounts/accountFamily.ts'
import { commandContext, type Intention } from '../../commands/handling/commandContext.ts'
import { type Command, type Handled, handle } from '../../commands/handling/handle.ts'
import { type OneByOne, openOneByOne } from '../../commands/handling/oneByOne.ts'
import type { Snapshots } from '../../commands/handling/snapshots.ts'
import { openStreams, type Streams } from '../../commands/handling/streams.ts'
import { type HeldLists, openHeldLists } from '../../commands/lists/heldLists.ts'
import { type ListEntryState, listEntryFamily } from '../../commands/lists/standingEntry.ts'
import { completeRulebook, type VersionLog } from '../../commands/rulebook/findVersions.ts'
import {
  boundedRulebooks,
  managedFamily,
  rulebookBytesMax,
} from '../../commands/rulebook/rulebookRoom.ts'
import {
  appFamily,
  identifierFamily,
  sessionFamily,
  userFamily,
} from '../../commands/sessions/families.ts'
import { type DispatchState, dispatchFamily } from '../../commands/signals/recordDispatch.ts'
import { senderIdFamily } from '../../commands/verification/senderIdFamily.ts'
import { templateFamily } from '../../commands/verification/templateFamily.ts'
import type { Call, Written } from '../../domain/call.ts'
import type { Chance, Clock } from '../../domain/clock.ts'
import { Failure } from '../../domain/failure.ts'
import { managedAccount } from '../../domain/managedAccount.ts'
import type { Principal } from '../../domain/principal.ts'
import type { Role } from '../../domain/role.ts'
import type { AccountEvent, AccountState } from '../../events/accounts/account.ts'
import { decode, encode } from '../../events/catalogue.ts'
import type { EntryEvent } from '../../events/lists/listEntry.ts'
import type { DomainEvent, EventContext } from '../../events/recording/event.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import type { ManagedEvent, ManagedRulebook } from '../../events/rulebook/managedRulebook.ts'
import type { RulebookEvent, RulebookState } from '../../events/rulebook/rulebook.ts'
import type { AppEvent, AppState } from '../../events/sessions/app.ts'
import type { IdentifierEvent, IdentifierStream } from '../../events/sessions/identifier.ts'
import type { SessionEvent, SessionState } from '../../events/sessions/session.ts'
import type { UserEvent, UserStream } from '../../events/sessions/user.ts'
import type { DispatchEvent } from '../../events/signals/dispatch.ts'
import type { SenderIdEvent, SenderIdState } from '../../events/verification/senderId.ts'
import type { TemplateEvent, TemplateState } from '../../events/verification/template.ts'
import type { DamagedStore } from '../../metrics/damageMeter.ts'
import type { SharedProjections } from '../../projections/running/projections.ts'
import { type Answering, answerHere } from '../../queries/heavyQuestions.ts'
import {
  type HeavyReads,
  type HeavyReadsOptions,
  openHeavyReads,
} from '../../queries/heavyReads.ts'
import { readListEntryKeys, readNetworkSizes } from '../../queries/lists/listEntries.ts'
import { placeOfVersion } from '../../queries/rulebook/versions.ts'
import type { EventStore, NewEvent } from '../../stores/eventStore.ts'
import type { OpenKeyring } from '../../stores/keyring.ts'
import type { ReadStore } from '../../stores/readStore.ts'
import { type Followed, isCurrent, notFollowed } from './followConfiguration.ts'

/** How long an answered write waits to be seen by the read models. */
const visibleMs = 1_000

/** Parts of the heap that the folded streams of a family may take. */
const accountsPart = 1 / 24
const rulebooksPart = 1 / 6
const dispatchesPart = 1 / 96
const appsPart = 1 / 48
const usersPart = 1 / 48
const sessionsPart = 1 / 48
const identifiersPart = 1 / 192
const listEntriesPart = 1 / 96
const verificationPart = 1 / 96

/** What lists may take that evaluations look in, outside of the heap, as a part of it. */
const heldListsPart = 1 / 8

/** How long the reading of lists waits for the read models. */
const listsPassedMs = 5_000

export interface Dependencies {
  readonly events: EventStore
  readonly documents: ReadStore
  readonly keyring: Keyring &
    Pick<OpenKeyring, 'keysReady' | 'storesKeys' | 'hasSpare' | 'destroy' | 'forget' | 'take'>
  readonly projections: SharedProjections
  /** Stores whose files were found damaged as a whole; none unless given. */
  readonly damagedFiles?: ReadonlySet<DamagedStore>
  /** What this instance does; everything unless given. */
  readonly role?: Role
  /** How long a dispatch counts, in milliseconds; a day unless given. */
  readonly dispatchLifetimeMs?: number | undefined
  /** For how long the answer of a refresh is given again to its own client, in milliseconds; five minutes unless given. */
  readonly refreshRepeatMs?: number | undefined
  /** About how many bytes of memory the rulebook of one account may take; what the heap has room for unless given. */
  readonly rulebookBytesMax?: number | undefined
  readonly clock: Clock
  readonly chance: Chance
  readonly background: Background
  /** Where long streams are kept as they were folded; nowhere unless given. */
  readonly snapshots?: Snapshots
  /** Who answers the heavy questions; the caller's thread unless given. */
  readonly answering?: Answering
  /** Told of each question that was refused because there were too many. */
  readonly onRefused?: HeavyReadsOptions['onRefused']
}

export interface ServiceContext extends Omit<Dependencies, 'answering' | 'onRefused'> {
  readonly heavyReads: HeavyReads
  /** How far this instance has followed the configuration in the log; see `follow`. */
  readonly followed: Followed
  readonly oneByOne: OneByOne
  readonly accounts: Streams<AccountState, AccountEvent>
  readonly rulebooks: Streams<RulebookState, RulebookEvent>
  /** Of one stream only, in memory from the start; see `managedRulebook`. */
  readonly managed: Streams<ManagedRulebook, ManagedEvent>
  readonly dispatches: Streams<DispatchState, DispatchEvent>
  readonly listEntries: Streams<ListEntryState, EntryEvent>
  readonly senderIds: Streams<SenderIdState, SenderIdEvent>
  readonly apps: Streams<AppState | undefined, AppEvent>
  readonly users: Streams<UserStream, UserEvent>
  readonly sessions: Streams<SessionState | undefined, SessionEvent>
  readonly identifiers: Streams<IdentifierStream, IdentifierEvent>
  readonly templates: Streams<TemplateState, TemplateEvent>
  /** Which values are on no list. */
  readonly heldLists: HeldLists
  /** Where the versions are found that rulebooks in memory do not hold. */
  readonly versionLog: VersionLog
  readonly encode: (events: readonly DomainEvent[], context: EventContext) => readonly NewEvent[]
}

/** The context over its stores. */
export function openServiceContext(dependencies: Dependencies): ServiceContext {
  const { events: store, clock, answering = answerHere(dependencies), onRefused } = dependencies
  const followed = notFollowed()
  const isFollowed = () => isCurrent(followed, clock)
  const { heap_size_limit: heapBytes } = getHeapStatistics()
  const opening = (part: number) => ({
    store,
    decode,
    bytesMax: heapBytes * part,
    isFollowed,
  })
  const placeOf = (key: string) => placeOfVersion(dependencies, key).catch(asUnknown)
  const versionLog: VersionLog = { store, decode, placeOf }
  return {
    ...dependencies,
    heavyReads: openHeavyReads({ answering, ...(onRefused && { onRefused }) }),
    followed,
    versionLog,
    oneByOne: openOneByOne(),
    accounts: openStreams({ ...opening(accountsPart), family: accountFamily }),
    rulebooks: openStreams({
      ...opening(rulebooksPart),
      family: boundedRulebooks(dependencies.rulebookBytesMax ?? rulebookBytesMax(heapBytes)),
      snapshots: dependencies.snapshots,
      complete: (stream, state) => completeRulebook(versionLog, stream, state),
    }),
    managed: openStreams({ ...opening(Number.POSITIVE_INFINITY), family: managedFamily }),
    // not followed: a dispatch is only ever decided on, which catches up
    dispatches: openStreams({ ...opening(dispatchesPart), family: dispatchFamily }),
    // nor are these: whatever asks for one catches up
    listEntries: openStreams({ ...opening(listEntriesPart), family: listEntryFamily }),
    senderIds: openStreams({ ...opening(verificationPart), family: senderIdFamily }),
    apps: openStreams({ ...opening(appsPart), family: appFamily }),
    users: openStreams({ ...opening(usersPart), family: userFamily }),
    sessions: openStreams({ ...opening(sessionsPart), family: sessionFamily }),
    // not followed either: who asks whose an identifier is catches up
    identifiers: openStreams({ ...opening(identifiersPart), family: identifierFamily }),
    templates: openStreams({ ...opening(verificationPart), family: templateFamily }),
    heldLists: heldListsOf(dependencies, followed, heapBytes * heldListsPart),
    encode: (events, context) =>
      events.map((event, index) => encode({ event, context, index }, dependencies.keyring)),
  }
}

function heldListsOf(
  { documents, projections, background, clock }: Dependencies,
  followed: Followed,
  bytesMax: number,
): HeldLists {
  return openHeldLists({
    bytesMax,
    timeMs: clock.nowMs,
    decode,
    keysOf: (account, list) => readListEntryKeys({ documents, projections }, { account, list }),
    sizesOf: (account, list) => readNetworkSizes({ documents, projections }, { account, list }),
    passed: (position) => projections.waitFor(Math.max(position, followed.position), listsPassedMs),
    // until the read models can be asked, values are looked for in the log
    run: (work) => background.run(() => work().catch(asUnknown)),
  })
}

/** A place is a hint: while the read models are away, the log is looked through. */
function asUnknown(error: unknown): undefined {
  if (error instanceof Failure && error.code === 'unavailable') return undefined
  throw error
}

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

/** Who waits. */
type Waiting = Pick<Call, 'letGo'>

/** Carries a command out and waits, within a limit, until the read models show it. */
export async function write<State, Event extends DomainEvent>(
  context: ServiceContext,
  { call, streams }: { readonly call: Waiting; readonly streams: Streams<State, Event> },
  command: Command<State, Event>,
): Promise<Written<Handled<State, Event>>> {
  return whenVisible(context, call, await carryOut(context, streams, command))
}

/** Carries a command out. The state is folded in place, so what is wanted of it is to be taken at once. */
export async function carryOut<State, Event extends DomainEvent>(
  context: ServiceContext,
  streams: Streams<State, Event>,
  command: Command<State, Event>,
): Promise<Handled<State, Event>> {
  const { events: store, oneByOne, encode: encodeEvents } = context
  return handle({ store, oneByOne, streams, encode: encodeEvents }, command)
}

/** Waits, within a limit, until the read models show what was written; nothing dear may be left to do. */
export async function whenVisible<Value extends { readonly position: number }>(
  context: ServiceContext,
  call: Waiting,
  value: Value,
): Promise<Written<Value>> {
  call.letGo?.()
  const { position } = value
  return { value, position, visible: await context.projections.waitFor(position, visibleMs) }
}

export interface Background {
  /** Starts it at once. What it rejects with is told to whoever opened this, and to nobody else. */
  readonly run: (work: () => Promise<void>) => void
  /** Resolves when nothing is under way. */
  readonly settled: () => Promise<void>
}

/** `onFailure` must not throw. */
export function openBackground(onFailure: (error: unknown) => void): Background {
  const underWay = new Set<Promise<void>>()
  return {
    run: (work) => {
      const done = work()
        .catch(onFailure)
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
