/** Builds the context of commands and queries over the stores, and the service for HTTP. */

import { getHeapStatistics } from 'node:v8'
import type { HashCost } from '../auth/passwordHash.ts'
import {
  authenticateFrontEnd,
  authenticateToken,
  openAuthentication,
} from '../commands/accounts/authenticate.ts'
import { openKnownOpenings } from '../commands/audit/recordOpened.ts'
import type { ReplayContext } from '../commands/audit/replays.ts'
import { openPlanRecorder } from '../commands/evaluation/recordPlan.ts'
import type { Background } from '../commands/handling/background.ts'
import {
  openCircuitBreakers,
  openValidationSlots,
} from '../commands/sessions/migration/limitCustomerCalls.ts'
import {
  type CustomerPostOptions,
  postToCustomer,
} from '../commands/sessions/migration/postToCustomer.ts'
import type { CustomerClient } from '../commands/sessions/migration/validateLegacySession.ts'
import { openPasswordHashing } from '../commands/sessions/passwords/passwordHashing.ts'
import { type Config, inFlightMaxDefault } from '../config.ts'
import type { Clock, Random } from '../domain/clock.ts'
import { Failure, isUnavailable } from '../domain/failure.ts'
import { openLookupLimits } from '../domain/load/lookupLimits.ts'
import { openScheduler } from '../domain/load/scheduler.ts'
import { defaultSessionDomain } from '../domain/sessions/appId.ts'
import { decode, encode } from '../events/catalogue.ts'
import type { DomainEvent, EventContext } from '../events/recording/event.ts'
import type { Keyring } from '../events/recording/sealing.ts'
import type { Logger } from '../log.ts'
import type { DamagedStore } from '../metrics/meters.ts'
import { type Metrics, openMetrics } from '../metrics/openMetrics.ts'
import type { SharedProjections } from '../projections/running/projectionState.ts'
import { createTallySlicer } from '../queries/analysis/backtest/tallySlice.ts'
import type { SliceScanner } from '../queries/analysis/scan/scanSlice.ts'
import { openConfigurationChangeCache } from '../queries/audit/configuration/findConfiguration.ts'
import { createInlineQueryRunner, type HeavyQueryRunner } from '../queries/heavyQueries.ts'
import { openQueryQueue, type QueryQueueOptions } from '../queries/heavyQueryQueue.ts'
import { accountStreamType } from '../state/accounts/accountStreamType.ts'
import { backtestStreamType } from '../state/analysis/backtestStreamType.ts'
import { reviewStreamType, searchStreamType } from '../state/analysis/reviewStreamTypes.ts'
import { erasureStreamType } from '../state/audit/erasureCertificate.ts'
import { replayStreamType } from '../state/audit/replayStreamType.ts'
import { retentionStreamType } from '../state/audit/retentionStreamType.ts'
import { openCompiledPlanCache, openFlowPlans } from '../state/evaluation/flowPlanCache.ts'
import { warmUpStreamType } from '../state/evaluation/warmUpStreamType.ts'
import {
  type FollowProgress,
  isCacheFresh,
  openStreamCache,
} from '../state/folding/foldedStreamCache.ts'
import type { Snapshots } from '../state/folding/snapshots.ts'
import { openStreamQueue } from '../state/folding/streamQueue.ts'
import { listEntryStreamType } from '../state/lists/findActiveEntry.ts'
import { openListCache } from '../state/lists/listCache.ts'
import { readListEntryKeys } from '../state/lists/readEntryKeys.ts'
import { managedStreamType, rulebookStreamType } from '../state/rulebook/rulebookStreams.ts'
import {
  appStreamType,
  identifierStreamType,
  sessionStreamType,
  userStreamType,
} from '../state/sessions/sessionStreamTypes.ts'
import { dispatchStreamType } from '../state/signals/findDispatch.ts'
import {
  senderIdStreamType,
  templateStreamType,
} from '../state/verification/verificationStreamTypes.ts'
import type { EventStore } from '../stores/eventStore.ts'
import type { PooledKeyring } from '../stores/keys/keyring.ts'
import type { ReadStore } from '../stores/readStore.ts'

/** Shares of the heap for folded streams by type, compiled plans and, outside of it, lists that evaluations look in. */
const heapShares = {
  accounts: 1 / 24,
  rulebooks: 1 / 6,
  dispatches: 1 / 96,
  listEntries: 1 / 96,
  verification: 1 / 96,
  apps: 1 / 48,
  users: 1 / 48,
  sessions: 1 / 48,
  identifiers: 1 / 192,
  audit: 1 / 1_024,
  backtests: 1 / 192,
  configurationChanges: 1 / 32,
  compiledPlans: 1 / 4,
  cachedLists: 1 / 8,
} as const

/** How long the reading of lists waits for the read models. */
const listsPassedMs = 5_000

export interface Dependencies
  extends SessionsOptions,
    Partial<Pick<Config, 'role' | 'dispatchLifetimeMs'>> {
  readonly events: EventStore
  readonly documents: ReadStore
  readonly keyring: Keyring &
    Pick<PooledKeyring, 'keysReady' | 'storesKeys' | 'hasSpare' | 'destroy' | 'forget' | 'take'>
  readonly projections: SharedProjections
  /** SHA-256 of the operator's token, hexadecimal; nobody is the operator unless given. */
  readonly operatorTokenHash?: string
  /** Stores whose files were found damaged as a whole; none unless given. */
  readonly damagedFiles?: ReadonlySet<DamagedStore>
  /** What counts; one that nobody else counts with unless given. */
  readonly metrics?: Metrics
  readonly clock: Clock
  readonly random: Random
  readonly background: Background
  /** Where long streams are kept as they were folded; nowhere unless given. */
  readonly snapshots?: Snapshots
  /** Who answers the heavy questions; the caller's thread unless given. */
  readonly heavyQueryRunner?: HeavyQueryRunner
  /** Replays some evaluations; only a service that is opened as a whole has it. */
  readonly replaySlice?: ReplayContext['replaySlice']
  /** Scans some evaluations, likewise. */
  readonly scanSlice?: SliceScanner
  /** Aborted when the process ends. */
  readonly closing?: AbortSignal
  /** Told of each question that was refused because there were too many. */
  readonly onRefused?: QueryQueueOptions['onRefused']
}

/** What is left out of the configuration is as it is by default. */
export interface SessionsOptions
  extends Partial<
    Pick<Config, 'refreshRepeatMs' | 'privateMigrationHosts' | 'sessionDomain' | 'inFlightMax'>
  > {
  /** What hashing a password costs; as OWASP has it unless given. */
  readonly passwordCost?: HashCost
  /** How customers are reached, for those who stand in for the public Internet; as usual unless given. */
  readonly outside?: Pick<CustomerPostOptions, 'certificates' | 'findAddresses'>
  /** Where it is said that a refresh token was used twice, and that a customer did not answer; nowhere unless given. */
  readonly logger?: Pick<Logger, 'warn'>
}

/** What commands and queries are given; each names what it needs of it. */
export type ServiceContext = ReturnType<typeof openServiceContext>

export function openServiceContext(dependencies: Dependencies) {
  const { events: store, keyring, clock, snapshots, onRefused } = dependencies
  const scheduler = openScheduler()
  const { heavyQueryRunner = createInlineQueryRunner(dependencies), metrics = openMetrics() } =
    dependencies
  const followed: FollowProgress = { position: 0, asOfMs: undefined, heads: [] }
  const { heap_size_limit: heapBytes } = getHeapStatistics()
  const options = (name: keyof typeof heapShares) => ({
    store,
    decode,
    scheduler,
    isFollowed: () => isCacheFresh(followed, clock),
    bytesMax: heapBytes * heapShares[name],
  })
  const compiledPlans = openCompiledPlanCache({ scheduler }, heapBytes * heapShares.compiledPlans)
  const encodeAll = (events: readonly DomainEvent[], context: EventContext) =>
    events.map((event, index) => encode({ event, context, index }, keyring))
  const recordPlan = openPlanRecorder({ store, encode: encodeAll, nowMs: clock.nowMs })
  return {
    ...dependencies,
    scheduler,
    ...buildSessionsContext(dependencies, metrics),
    authentication: openAuthentication(clock, dependencies.operatorTokenHash),
    knownOpenings: openKnownOpenings(),
    compiledPlans,
    plans: openFlowPlans({ scheduler, compiledPlans }, recordPlan),
    metrics,
    heavyQueries: openQueryQueue({ runner: heavyQueryRunner, ...(onRefused && { onRefused }) }),
    /** How far this instance has followed the configuration in the log; see `followStreams`. */
    followed,
    streamQueue: openStreamQueue(),
    encode: encodeAll,
    cachedLists: openCachedLists(dependencies, followed, heapBytes * heapShares.cachedLists),
    accounts: openStreamCache({ ...options('accounts'), streamType: accountStreamType }),
    rulebooks: openStreamCache({
      ...options('rulebooks'),
      streamType: rulebookStreamType,
      snapshots,
    }),
    /** Of one stream only, in memory from the start; see `managedRulebook`. */
    managed: openStreamCache({ ...options('rulebooks'), streamType: managedStreamType }),
    apps: openStreamCache({ ...options('apps'), streamType: appStreamType }),
    users: openStreamCache({ ...options('users'), streamType: userStreamType }),
    sessions: openStreamCache({ ...options('sessions'), streamType: sessionStreamType }),
    // not followed: whatever asks for one of these catches up
    dispatches: openStreamCache({ ...options('dispatches'), streamType: dispatchStreamType }),
    listEntries: openStreamCache({ ...options('listEntries'), streamType: listEntryStreamType }),
    senderIds: openStreamCache({ ...options('verification'), streamType: senderIdStreamType }),
    templates: openStreamCache({ ...options('verification'), streamType: templateStreamType }),
    identifiers: openStreamCache({ ...options('identifiers'), streamType: identifierStreamType }),
    ...openAuditStreams(options),
    configurationChanges: openConfigurationChangeCache(heapBytes * heapShares.configurationChanges),
    ...pickRecordReaders(dependencies),
  }
}

/** Not followed either. */
function openAuditStreams(
  options: (
    name: 'audit' | 'backtests',
  ) => Omit<
    Parameters<typeof openStreamCache<unknown, DomainEvent>>[0],
    'streamType' | 'snapshots'
  >,
) {
  return {
    retentions: openStreamCache({ ...options('audit'), streamType: retentionStreamType }),
    certificates: openStreamCache({ ...options('audit'), streamType: erasureStreamType }),
    replays: openStreamCache({ ...options('audit'), streamType: replayStreamType }),
    backtests: openStreamCache({ ...options('backtests'), streamType: backtestStreamType }),
    searches: openStreamCache({ ...options('audit'), streamType: searchStreamType }),
    reviews: openStreamCache({ ...options('audit'), streamType: reviewStreamType }),
    warmUps: openStreamCache({ ...options('audit'), streamType: warmUpStreamType }),
  }
}

function pickRecordReaders({ replaySlice = notHere, scanSlice = notHere, closing }: Dependencies) {
  return {
    ...{ replaySlice, scanSlice, tallySlice: createTallySlicer(scanSlice) },
    noticedWarmUps: new Map(),
    pendingTallies: { keys: new Map(), countOf: new Map() },
    counterLoads: { next: undefined },
    closing: closing ?? new AbortController().signal,
  }
}

async function notHere(): Promise<never> {
  throw new Failure('unavailable', 'Recorded evaluations cannot be read here.')
}

/** What commands and queries of sessions need beside the stores. */
function buildSessionsContext(options: Dependencies, { passwords: meter }: Metrics) {
  const { clock, random, passwordCost: cost, privateMigrationHosts: allowed = [] } = options
  const customers: CustomerClient = {
    post: (url, body, { authorization }) =>
      postToCustomer(url, body, { ...options.outside, allowedHosts: allowed, authorization }),
    breakers: openCircuitBreakers(),
    withSlot: openValidationSlots(options.inFlightMax ?? inFlightMaxDefault),
  }
  return {
    hashing: openPasswordHashing({ random, meter, ...(cost && { cost }) }),
    customers,
    warn: (facts: object, message: string) => options.logger?.warn(facts, message),
    limitAppReads: openLookupLimits(clock, { pluralName: 'applications', perSecondMax: 2_000 }),
    sessionDomain: options.sessionDomain ?? defaultSessionDomain,
    privateMigrationHosts: allowed,
  }
}

function openCachedLists(dependencies: Dependencies, followed: FollowProgress, bytesMax: number) {
  const { projections, background, clock } = dependencies
  return openListCache({
    bytesMax,
    epochNowMs: clock.nowMs,
    decode,
    keysOf: (account, list) => readListEntryKeys(dependencies, { account, list }),
    passed: (position) => projections.waitFor(Math.max(position, followed.position), listsPassedMs),
    run: (work) => background.run(() => work().catch(ignoreUnavailable)),
  })
}

/** While the read models are away, values are looked up in the log. */
function ignoreUnavailable(error: unknown): undefined {
  if (isUnavailable(error)) return undefined
  throw error
}

export type Service = ReturnType<typeof buildService>

/**
 * The service as HTTP uses it, over a context into which the managed rulebook has been brought; see
 * `installManagedSet`. Ids that reach commands and queries have the right form; what has none of such an id throws
 * `not_found`. `close` finishes what is under way and closes the stores.
 */
export function buildService(context: ServiceContext, close: () => Promise<void>) {
  return {
    authenticate: (token: string) => authenticateToken(context, token),
    authenticateFrontEnd: (key: string, origin?: string) =>
      authenticateFrontEnd(context, key, origin),
    context,
    close,
  }
}
