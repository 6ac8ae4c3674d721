/** Publishes projection states to other instances; passes their retries to the one running them. */

import { isUnavailable, messageOf, unavailable } from '../../domain/failure.ts'
import { type BackgroundLoop, sleep, startBackgroundLoop } from '../../stores/backgroundLoop.ts'
import type { Change, Checkpoint, Collection, ReadStore } from '../../stores/readStore.ts'
import type { Projection } from './projection.ts'
import {
  type Alarm,
  findActiveVersion,
  initialStates,
  type ProjectionRun,
  type ProjectionState,
  type Projections,
  type RetryResult,
} from './projectionState.ts'
import { retryOutages } from './retryOutages.ts'

/** The published state of a projection; its positions are in its checkpoints. */
type PublishedState = Omit<ProjectionState, 'position' | 'active' | 'activePosition'>

/** How often states are published that have not changed. */
const publishEveryMs = 1_000
/** How often changed states, requests and their answers are looked for. */
const lookEveryMs = 100
/** After so many publications are missing, no instance is taken to run the projections. */
const missedMax = 5

/** How long the asking instance waits for the answer to a request. */
const answerMs = 10_000
/** Most waiting requests. */
const waitingMax = 100
/** How long an answer stays that was not fetched. */
const keepMs = 10 * 60 * 1_000

/** Collections by which instances coordinate: no events are behind them, but a commit needs a checkpoint. */
const stateCollection: Collection = { name: 'projection_states', version: 1, indexes: [] }
const requestCollection: Collection = { name: 'retry_requests', version: 1, indexes: [] }

const statesId = 'running'

/** The positions of a request's document, so that a late write never replaces a later state. */
const positions = { asked: 1, answered: 2, removed: 3 } as const

/** The body of a request, and what replaces it once it was carried out; one that failed is removed. */
type Request =
  | { readonly projection: string }
  | { readonly retried: RetryResult; readonly at: number }

interface Document extends Pick<Change, 'id' | 'position'> {
  readonly body: object | null
}

function commitTo(
  { commit }: Pick<ReadStore, 'commit'>,
  collection: Collection,
  ...documents: readonly Document[]
): Promise<void> {
  const { name, version } = collection
  const changes = documents.map((document) => ({ ...document, collection }) as Change)
  const checkpoint = { projection: name, version, position: 0, ready: true, collections: [name] }
  return commit([{ changes, checkpoint }])
}

export interface PublishOptions {
  /** Of the lease owner. */
  readonly readStore: ReadStore
  readonly projections: Pick<Projections, 'progress' | 'retryParked'>
  readonly nowMs: () => number
  readonly onAlarm: (alarm: Alarm) => void
}

/**
 * Publishes the states of these projections, and retries parked events for other instances, until it is closed. Outages
 * of the store are waited out; anything else ends it with an alarm.
 */
export function publishProjections(options: PublishOptions): BackgroundLoop {
  const { onAlarm } = options
  return startBackgroundLoop(async (signal) => {
    // the runner uses the same store and reports its outages
    const pace = { signal, backoffMs: lookEveryMs, backoffMaxMs: 1_000, onOutage: () => undefined }
    const keep = (loop: typeof keepPublishing, fault: string): Promise<void> =>
      retryOutages(() => loop(options, signal), pace).catch((error) =>
        onAlarm({ kind: 'stopped', message: `${fault}: ${messageOf(error)}` }),
      )
    await Promise.all([
      keep(keepPublishing, 'the states of the projections are not published any more'),
      keep(keepRetrying, 'parked events cannot be applied again'),
    ])
  })
}

async function keepPublishing(
  { readStore, projections, nowMs }: PublishOptions,
  signal: AbortSignal,
): Promise<void> {
  await readStore.prepare([stateCollection])
  let { number = 0 } = await readPublished(readStore)
  let last = { text: '', atMs: 0 }
  while (!signal.aborted) {
    const atMs = nowMs()
    const states = projections
      .progress()
      .map(({ position: _, active: __, activePosition: ___, ...state }) => state)
    const text = JSON.stringify(states)
    if (text !== last.text || Math.abs(atMs - last.atMs) >= publishEveryMs) {
      number += 1
      const document = { id: statesId, position: number, body: { states } }
      await commitTo(readStore, stateCollection, document)
      last = { text, atMs }
    }
    await sleep(lookEveryMs, signal)
  }
}

async function keepRetrying(options: PublishOptions, signal: AbortSignal): Promise<void> {
  const { readStore } = options
  await readStore.prepare([requestCollection])
  await commitTo(readStore, requestCollection)
  await readStore.sweep(requestCollection, positions.removed)
  while (!signal.aborted) {
    const found = await readStore.find(requestCollection, { where: {}, limit: waitingMax })
    for (const { id, body } of found) {
      if (signal.aborted) break
      const after = await serveRequest(options, body as unknown as Request)
      if (after) await commitTo(readStore, requestCollection, { id, ...after })
    }
    await sleep(lookEveryMs, signal)
  }
}

/** What the document of the request becomes; undefined while it stays. */
async function serveRequest(
  { projections, nowMs, onAlarm }: PublishOptions,
  request: Request,
): Promise<Omit<Document, 'id'> | undefined> {
  const removed = { position: positions.removed, body: null }
  if ('retried' in request) {
    return Math.abs(nowMs() - request.at) > keepMs ? removed : undefined
  }
  try {
    const retried = await projections.retryParked(request.projection)
    return { position: positions.answered, body: { retried, at: nowMs() } }
  } catch (error) {
    // it is tried again
    if (isUnavailable(error)) return undefined
    const message = `parked events cannot be applied again: ${messageOf(error)}`
    onAlarm({ kind: 'stopped', projection: request.projection, message })
    return removed
  }
}

interface Published {
  /** Rises with each publication; undefined before the first. */
  readonly number: number | undefined
  readonly states: readonly PublishedState[]
  readonly checkpoints: readonly Checkpoint[]
}

/** Throws what the store throws. */
async function readPublished(
  readStore: Pick<ReadStore, 'get' | 'checkpoints'>,
): Promise<Published> {
  const checkpoints = await readStore.checkpoints()
  const isPrepared = checkpoints.some(({ projection }) => projection === stateCollection.name)
  const found = isPrepared ? await readStore.get(stateCollection, statesId) : undefined
  const states = (found?.body['states'] ?? []) as unknown as readonly PublishedState[]
  return { number: found?.position, states, checkpoints }
}

export interface WatchOptions {
  readonly readStore: Pick<ReadStore, 'get' | 'find' | 'checkpoints' | 'commit'>
  /** As this program knows them. */
  readonly projections: readonly Projection[]
  readonly nowMs: () => number
  /** The id of a request; those of later requests sort later. */
  readonly newId: () => string
  readonly onProgress: (states: readonly ProjectionState[]) => void
  /** Called with false when no instance publishes states any more, and with true when one does again. */
  readonly onPublishing?: (isPublished: boolean) => void
  /** How often the states are read, and an answer is looked for. */
  readonly everyMs?: number
  /** How long a retry waits for the answer of the instance that runs them. */
  readonly withinMs?: number
}

/**
 * Watches the projections until it is closed. While no instance publishes states, or the read store does not answer,
 * they are shown as failing at their last known position, and no caller waits for them. Retries of parked events are
 * requested through the read store.
 */
export function watchProjections(options: WatchOptions): ProjectionRun {
  const watching = startBackgroundLoop((signal) => keepWatching(options, signal))
  return {
    // a request through the read store would take longer than the rest that it shortens
    shortenDelay: () => undefined,
    retryParked: (projection) => requestRetry(options, projection),
    close: watching.close,
  }
}

async function keepWatching(
  { readStore, projections, nowMs, onProgress, onPublishing, everyMs = lookEveryMs }: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  let seen = initialStates(projections)
  let last: { readonly number: number | undefined; readonly atMs: number } | undefined
  let wasPublished = true
  while (!signal.aborted) {
    try {
      const published = await readPublished(readStore)
      const { number } = published
      if (last?.number !== number || !last) last = { number, atMs: nowMs() }
      const isPublished = nowMs() - last.atMs <= missedMax * publishEveryMs
      if (isPublished !== wasPublished) onPublishing?.(isPublished)
      wasPublished = isPublished
      seen = mergeStates(projections, published, isPublished)
      onProgress(seen)
    } catch (error) {
      onProgress(seen.map((state) => ({ ...state, status: 'failing', error: messageOf(error) })))
    }
    await sleep(everyMs, signal)
  }
}

function mergeStates(
  projections: readonly Projection[],
  { states, checkpoints }: Published,
  isPublished: boolean,
): readonly ProjectionState[] {
  const published = states.filter(({ name }) => projections.some((own) => own.name === name))
  const others = initialStates(projections).filter(
    ({ name, version }) => !published.some((one) => one.name === name && one.version === version),
  )
  return [...others, ...published].map((state) => {
    const { name, version } = state
    const own = checkpoints.find((one) => one.projection === name && one.version === version)
    return {
      ...state,
      position: own?.position ?? 0,
      ...findActiveVersion(name, projections, checkpoints),
      ...(!isPublished && { status: 'failing' as const, error: 'no instance is heard to run it' }),
    }
  })
}

/**
 * Asks the instance that runs the projections to retry the parked events of this one, and returns the outcome. Throws
 * `unavailable` when no instance has ever run them, too many requests wait, or there is no answer in time: the request
 * then stays and will be served.
 */
async function requestRetry(options: WatchOptions, projection: string): Promise<RetryResult> {
  const { readStore, newId, everyMs = lookEveryMs, withinMs = answerMs } = options
  const checkpoints = await readStore.checkpoints()
  if (!checkpoints.some(({ projection }) => projection === requestCollection.name)) {
    throw unavailable('No instance has run the projections yet.')
  }
  const waiting = await readStore.find(requestCollection, { where: {}, limit: waitingMax })
  if (waiting.length >= waitingMax) throw unavailable('Too many requests of this kind wait.')
  const id = newId()
  const asked = { id, position: positions.asked, body: { projection } }
  await commitTo(readStore, requestCollection, asked)
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += everyMs) {
    await sleep(everyMs, new AbortController().signal)
    const found = await readStore.get(requestCollection, id)
    if (!found) {
      throw unavailable('The instance that runs the projections could not do it; its log says why.')
    }
    const request = found.body as unknown as Request
    if (!('retried' in request)) continue
    const removed = { id, position: positions.removed, body: null }
    await commitTo(readStore, requestCollection, removed)
    return request.retried
  }
  throw unavailable(
    'The instance that runs the projections has been asked and has not answered yet; ask again to see what became of it.',
  )
}
