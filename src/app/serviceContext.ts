/** Opens the context that all areas share: the stores, the cached streams, the clock. */

import { getHeapStatistics } from 'node:v8'
import { accountFamily } from '../commands/accounts/accounts.ts'
import { certificateFamily, type Context as ErasureContext } from '../commands/audit/erasePerson.ts'
import { type Replaying, replayFamily } from '../commands/audit/replays.ts'
import { type Expiring, retentionFamily } from '../commands/audit/retention.ts'
import {
  type CompiledPlans,
  openCompiledPlans,
  openPlans,
  type Plans,
} from '../commands/evaluation/plans.ts'
import { openPlanRecorder } from '../commands/evaluation/recordPlan.ts'
import type { Context } from '../commands/handling/context.ts'
import { type OneByOne, openOneByOne } from '../commands/handling/oneByOne.ts'
import type { Snapshots } from '../commands/handling/snapshots.ts'
import {
  type Followed,
  isCurrent,
  notFollowed,
  openStreams,
  type Streams,
} from '../commands/handling/streams.ts'
import { type ListEntryState, listEntryFamily } from '../commands/lists/activeEntry.ts'
import { type CachedLists, openCachedLists } from '../commands/lists/cachedLists.ts'
import { completeRulebook, type VersionLog } from '../commands/rulebook/earlierVersions.ts'
import {
  managedFamily,
  type RulebookContext,
  rulebookFamily,
} from '../commands/rulebook/rulebookStreams.ts'
import {
  appStreamType,
  identifierStreamType,
  sessionStreamType,
  userStreamType,
} from '../commands/sessions/streamTypes.ts'
import { dispatchFamily } from '../commands/signals/dispatches.ts'
import { senderIdFamily } from '../commands/verification/senderIds.ts'
import { templateFamily } from '../commands/verification/templates.ts'
import type { Page } from '../domain/call.ts'
import type { Chance, Clock } from '../domain/clock.ts'
import { Failure } from '../domain/failure.ts'
import type { Role } from '../domain/role.ts'
import type { AccountEvent, AccountState } from '../events/accounts/account.ts'
import type { Retention, RetentionEvent } from '../events/audit/retention.ts'
import { decode, encode } from '../events/catalogue.ts'
import type { EntryEvent } from '../events/lists/listEntry.ts'
import type { DomainEvent, EventContext } from '../events/recording/event.ts'
import type { Keyring } from '../events/recording/sealing.ts'
import type { ManagedEvent, ManagedRulebook } from '../events/rulebook/managedRulebook.ts'
import type { RulebookEvent, RulebookState } from '../events/rulebook/rulebook.ts'
import type { AppEvent, AppState } from '../events/sessions/app.ts'
import type { IdentifierEvent, IdentifierStream } from '../events/sessions/identifier.ts'
import type { SessionEvent, SessionState } from '../events/sessions/session.ts'
import type { UserEvent, UserStream } from '../events/sessions/user.ts'
import type { DispatchEvent, DispatchState } from '../events/signals/dispatch.ts'
import type { SenderIdEvent, SenderIdState } from '../events/verification/senderId.ts'
import type { TemplateEvent, TemplateState } from '../events/verification/template.ts'
import type { DamagedStore } from '../metrics/damageMeter.ts'
import { type Metrics, openMetrics } from '../metrics/openMetrics.ts'
import type { SharedProjections } from '../projections/running/projections.ts'
import { accountPage } from '../queries/accounts/accounts.ts'
import { findAgedEvaluations } from '../queries/audit/agedEvaluations.ts'
import { findSubjectData } from '../queries/audit/subjectKeys.ts'
import { type Answering, answerHere } from '../queries/heavyQuestions.ts'
import { type HeavyReadsOptions, openHeavyReads } from '../queries/heavyReads.ts'
import { readListEntryKeys, readNetworkSizes } from '../queries/lists/entryKeys.ts'
import type { HeavyReads } from '../queries/reading/context.ts'
import { reached } from '../queries/reading/reached.ts'
import { findManagedUsers } from '../queries/rulebook/managedUses.ts'
import { areVersionsShown, positionOfVersion } from '../queries/rulebook/versions.ts'
import { listAppDocuments } from '../queries/sessions/apps.ts'
import type { EventStore, NewEvent } from '../stores/eventStore.ts'
import type { OpenKeyring } from '../stores/keys/keyring.ts'
import type { ReadStore } from '../stores/readStore.ts'

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

/** What the streams of retention and of erasures may take, each. */
const auditBytes = 1024 * 1024

/** Accounts and applications read at a time. */
const accountsAtOnce = 100
const appsAtOnce = 500

/** Of the memory that the process may use, what compiled plans may take. */
const compiledPart = 1 / 4

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
  /** What counts; one that nobody else counts with unless given. */
  readonly metrics?: Metrics
  /** How long a dispatch counts, in milliseconds; a day unless given. */
  readonly dispatchLifetimeMs?: number | undefined
  /** For how long the answer of a refresh is given again to its own client, in milliseconds; five minutes unless given. */
  readonly refreshRepeatMs?: number | undefined
  readonly clock: Clock
  readonly chance: Chance
  readonly background: Background
  /** Where long streams are kept as they were folded; nowhere unless given. */
  readonly snapshots?: Snapshots
  /** Who answers the heavy questions; the caller's thread unless given. */
  readonly answering?: Answering
  /** Replays some evaluations; only a service that is opened as a whole has it. */
  readonly replaySlice?: Replaying['replaySlice']
  /** Aborted when the process ends. */
  readonly closing?: AbortSignal
  /** Told of each question that was refused because there were too many. */
  readonly onRefused?: HeavyReadsOptions['onRefused']
}

export interface ServiceContext
  extends Omit<Dependencies, 'answering' | 'onRefused' | 'replaySlice' | 'closing'>,
    Pick<Replaying, 'replaySlice' | 'closing' | 'replays'> {
  readonly heavyReads: HeavyReads
  readonly metrics: Metrics
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
  readonly retentions: Streams<Retention, RetentionEvent>
  readonly certificates: ErasureContext['certificates']
  readonly listAccountIds: Expiring['listAccountIds']
  readonly findAgedEvaluations: Expiring['findAgedEvaluations']
  readonly listAppIds: ErasureContext['listAppIds']
  readonly findSubjectData: Context['findSubjectData']
  readonly findManagedUsers: RulebookContext['findManagedUsers']
  /** Which values are on no list. */
  readonly cachedLists: CachedLists
  /** Where the versions are found that rulebooks in memory do not hold. */
  readonly versionLog: VersionLog
  /** Plans ready to run, by their digests. */
  readonly compiledPlans: CompiledPlans
  /** The plans of flows in use. */
  readonly plans: Plans
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
  const positionOf = (key: string) => positionOfVersion(dependencies, key).catch(asUnknown)
  const isIndexed = () => areVersionsShown(dependencies)
  const versionLog: VersionLog = { store, decode, positionOf, isIndexed }
  const compiledPlans = openCompiledPlans(heapBytes * compiledPart)
  const encodeAll: ServiceContext['encode'] = (events, context) =>
    events.map((event, index) => encode({ event, context, index }, dependencies.keyring))
  const recordPlan = openPlanRecorder({ store, encode: encodeAll, nowMs: clock.nowMs })
  return {
    ...dependencies,
    compiledPlans,
    plans: openPlans(compiledPlans, recordPlan),
    metrics: dependencies.metrics ?? openMetrics(),
    heavyReads: openHeavyReads({ answering, ...(onRefused && { onRefused }) }),
    followed,
    versionLog,
    oneByOne: openOneByOne(),
    accounts: openStreams({ ...opening(accountsPart), family: accountFamily }),
    rulebooks: openStreams({
      ...opening(rulebooksPart),
      family: rulebookFamily,
      snapshots: dependencies.snapshots,
      complete: (stream, state) => completeRulebook(versionLog, stream, state),
    }),
    managed: openStreams({ ...opening(Number.POSITIVE_INFINITY), family: managedFamily }),
    // not followed: a dispatch is only ever decided on, which catches up
    dispatches: openStreams({ ...opening(dispatchesPart), family: dispatchFamily }),
    // nor are these: whatever asks for one catches up
    listEntries: openStreams({ ...opening(listEntriesPart), family: listEntryFamily }),
    senderIds: openStreams({ ...opening(verificationPart), family: senderIdFamily }),
    apps: openStreams({ ...opening(appsPart), family: appStreamType }),
    users: openStreams({ ...opening(usersPart), family: userStreamType }),
    sessions: openStreams({ ...opening(sessionsPart), family: sessionStreamType }),
    // not followed either: who asks whose an identifier is catches up
    identifiers: openStreams({ ...opening(identifiersPart), family: identifierStreamType }),
    templates: openStreams({ ...opening(verificationPart), family: templateFamily }),
    retentions: openStreams({ store, decode, bytesMax: auditBytes, family: retentionFamily }),
    certificates: openStreams({ store, decode, bytesMax: auditBytes, family: certificateFamily }),
    replays: openStreams({ store, decode, bytesMax: auditBytes, family: replayFamily }),
    replaySlice: dependencies.replaySlice ?? noReplay,
    closing: dependencies.closing ?? new AbortController().signal,
    ...readsOf(dependencies),
    cachedLists: heldListsOf(dependencies, followed, heapBytes * heldListsPart),
    encode: encodeAll,
  }
}

async function noReplay(): Promise<never> {
  throw new Failure('unavailable', 'Evaluations cannot be replayed here.')
}

/** What commands ask of the read models. */
function readsOf(
  dependencies: Dependencies,
): Pick<
  ServiceContext,
  'listAccountIds' | 'findAgedEvaluations' | 'listAppIds' | 'findSubjectData' | 'findManagedUsers'
> {
  return {
    listAccountIds: async (cursor) => {
      const asked = { limit: accountsAtOnce, ...(cursor && { cursor }) }
      return idsOf(await accountPage(dependencies, asked))
    },
    findAgedEvaluations: (asked) => findAgedEvaluations(dependencies, asked),
    listAppIds: async (account, cursor) => {
      const asked = { account, limit: appsAtOnce, ...(cursor && { cursor }) }
      return idsOf(await listAppDocuments(dependencies, asked))
    },
    findSubjectData: (digest) => findSubjectData(dependencies, digest),
    findManagedUsers: async (id, max) => {
      await reached(dependencies, await dependencies.events.head())
      return findManagedUsers(dependencies, id, max)
    },
  }
}

function idsOf({ items, nextCursor }: Page<{ readonly id: string }>) {
  return { ids: items.map(({ id }) => id), nextCursor }
}

function heldListsOf(
  { documents, projections, background, clock }: Dependencies,
  followed: Followed,
  bytesMax: number,
): CachedLists {
  return openCachedLists({
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
