/** Retries parked events in this instance, or asks the instance that runs the projections to. */

import { Failure } from '../../domain/failure.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'
import type {
  Change,
  Checkpoint,
  Collection,
  DocumentBody,
  ReadStore,
  StoredDocument,
} from '../../stores/readStore.ts'
import { checkpointOf, type ProjectionInstance } from './instances.ts'
import { attempt, pause, retryOutages, runUntilClosed, wordsOf } from './outages.ts'
import {
  documentSequence,
  listParked,
  type ParkedEvent,
  parkedChange,
  sequencesOf,
  streamSequence,
} from './parking.ts'
import type { Target } from './projection.ts'
import { leftMax, type Projections, type Retried } from './projections.ts'

interface RetryContext {
  readonly readStore: Pick<ReadStore, 'find' | 'load' | 'commit'>
  readonly eventStore: Pick<EventStore, 'readStream'>
  readonly decode: (recorded: RecordedEvent) => DecodedEvent
}

/**
 * Retries the parked events in the order of the log. A sequence goes on until one of its events fails again; that one and
 * the rest of the sequence stay parked. An event older than its document, which another stream has updated meanwhile, cannot be
 * applied in order and stays too: only a new version of the projection fixes that. An instance that has stopped must not be written to:
 * its events all stay. Throws what the stores throw.
 */
export async function retryParked(
  context: RetryContext,
  instance: ProjectionInstance,
): Promise<Retried> {
  const parked = await listParked(context.readStore, instance.parkedIn)
  if (instance.stopped !== undefined) return leaving(parked, 0)
  const stuck = new Set<string>()
  const left: ParkedEvent[] = []
  for (const { error: _, ...event } of parked) {
    if (stuck.has(event.sequence)) {
      left.push(event)
      continue
    }
    const error = await retryOne(context, instance, { event, stuck })
    if (error === undefined) continue
    stuck.add(event.sequence)
    left.push({ ...event, error })
  }
  instance.parked = sequencesOf(left)
  return leaving(left, parked.length - left.length)
}

function leaving(left: readonly ParkedEvent[], applied: number): Retried {
  return { applied, parked: left.length, left: left.slice(0, leftMax) }
}

interface Retry {
  readonly event: ParkedEvent
  /** The sequences that have failed again. */
  readonly stuck: ReadonlySet<string>
}

/** Undefined when the event is applied and no longer parked, else why it stays. */
async function retryOne(
  { eventStore, readStore, decode }: RetryContext,
  instance: ProjectionInstance,
  { event, stuck }: Retry,
): Promise<string | undefined> {
  const { projection, parkedIn } = instance
  const { stream, revision } = event
  const [recorded] = await eventStore.readStream(stream, { from: revision, limit: 1 })
  if (!recorded || recorded.position !== event.position) return 'it is not in the log any more'
  const read = attempt(() => {
    const decoded = decode(recorded)
    const targets = projection.targets(decoded).filter((target) => isParkedFor(event, target))
    return { decoded, targets }
  })
  if (!read.ok) return wordsOf(read.error)
  const { decoded, targets } = read.value
  const loaded = await loadTargets(readStore, targets)
  const retried = attempt(() =>
    loaded.flatMap(({ target, stored }): readonly Change[] => {
      const { collection, id } = target
      const name = `document ${id} of ${collection.name}`
      if (stuck.has(documentSequence(collection, id))) throw new Error(`${name} waits for more`)
      const { position = 0, body } = stored ?? {}
      if (position === event.position) return []
      if (position > event.position) {
        const message = `${name} is at position ${position} already: give the projection a new version`
        throw new Error(message)
      }
      const applied = projection.apply(body ?? undefined, decoded, target)
      return [{ collection, id, position: event.position, body: applied }]
    }),
  )
  if (!retried.ok) return wordsOf(retried.error)
  const free = parkedChange(parkedIn, event, true)
  await readStore.commit([...retried.value, free], checkpointOf(instance))
  return undefined
}

/** An event parked for one document was applied to its other documents when it came. */
function isParkedFor({ sequence, stream }: ParkedEvent, { collection, id }: Target): boolean {
  return sequence === streamSequence(stream) || sequence === documentSequence(collection, id)
}

function loadTargets({ load }: Pick<ReadStore, 'load'>, targets: readonly Target[]) {
  return Promise.all(
    targets.map(async (target) => {
      const [stored] = target.once ? [] : await load(target.collection, [target.id])
      return { target, stored }
    }),
  )
}

/** A collection by which instances coordinate: no events are behind it, but a commit needs a checkpoint. */
export function sharedCollection(name: string) {
  const collection: Collection = { name, version: 1, indexes: [] }
  const checkpoint: Checkpoint = {
    ...{ projection: name, version: 1, position: 0, ready: true },
    collections: [name],
  }
  const isPrepared = (checkpoints: readonly Checkpoint[]): boolean =>
    checkpoints.some(({ projection }) => projection === name)
  return { collection, checkpoint, isPrepared }
}

/** How often requests, and their answers, are looked for. */
const lookEveryMs = 100
/** How long the asking instance waits for the answer. */
const answerMs = 10_000
/** Most waiting requests. */
const waitingMax = 100
/** How long an answer stays that was not fetched. */
const keepMs = 10 * 60 * 1_000

const { collection, checkpoint, isPrepared } = sharedCollection('retry_requests')
/** The positions of a request's document, so that a late write never replaces a later state. */
const asked = 1
const answered = 2
const fetched = 3

/** The body of a request. */
type Request =
  | { readonly state: 'asked'; readonly projection: string }
  | { readonly state: 'done'; readonly retried: Retried; readonly at: number }
  | { readonly state: 'failed'; readonly at: number }

export interface AskOptions {
  readonly readStore: Pick<ReadStore, 'get' | 'find' | 'checkpoints' | 'commit'>
  /** The id of a request; those of later requests sort later. */
  readonly newId: () => string
  readonly everyMs?: number
  readonly withinMs?: number
}

/**
 * Asks the instance that runs the projections to retry the parked events of this one, and returns the outcome. Throws `unavailable`
 * when no instance has ever run them, too many requests wait, or there is no answer in time: the request then stays and will be served.
 */
export async function askForRetry(options: AskOptions, projection: string): Promise<Retried> {
  const { readStore, newId, everyMs = lookEveryMs, withinMs = answerMs } = options
  if (!isPrepared(await readStore.checkpoints())) {
    throw unanswered('No instance has run the projections yet.')
  }
  const waiting = await readStore.find(collection, { where: {}, limit: waitingMax })
  if (waiting.length >= waitingMax) throw unanswered('Too many requests of this kind wait.')
  const id = newId()
  await readStore.commit([changeOf(id, asked, { state: 'asked', projection })], checkpoint)
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += everyMs) {
    await pause(everyMs, new AbortController().signal)
    const found = await readStore.get(collection, id)
    const request = found && requestOf(found)
    if (!request || request.state === 'asked') continue
    await readStore.commit([changeOf(id, fetched)], checkpoint)
    if (request.state === 'done') return request.retried
    throw unanswered('The instance that runs the projections could not do it; its log says why.')
  }
  throw unanswered(
    'The instance that runs the projections has been asked and has not answered yet; ask again to see what became of it.',
  )
}

function unanswered(message: string): Failure {
  return new Failure('unavailable', message, { retryAfterSeconds: 1 })
}

export interface ServeOptions {
  /** Of the lease owner. */
  readonly readStore: Pick<ReadStore, 'find' | 'prepare' | 'commit' | 'sweep'>
  readonly retry: Projections['retryParked']
  readonly nowMs: () => number
  readonly everyMs?: number
  /** Called with why a request failed, and with the error that ends it for good. */
  readonly onFault: (error: unknown) => void
}

/** Serves the requests of other instances, until it is closed; also those to an earlier lease owner. Outages are waited out. */
export function serveRetryRequests(options: ServeOptions): { readonly close: () => Promise<void> } {
  return runUntilClosed((signal) => keepServing(options, signal).catch(options.onFault))
}

async function keepServing(options: ServeOptions, signal: AbortSignal): Promise<void> {
  const { readStore, everyMs = lookEveryMs } = options
  // the runner uses the same store and has reported an outage
  const pace = { signal, backoffMs: everyMs, backoffMaxMs: 10 * everyMs, onOutage: () => undefined }
  await retryOutages(() => readStore.prepare([collection]), pace)
  await retryOutages(() => readStore.commit([], checkpoint), pace)
  let hadAny = true
  while (!signal.aborted) {
    const hasAny = await retryOutages(() => serveAll(options, signal), pace)
    if (hadAny && hasAny === false) {
      await retryOutages(() => readStore.sweep(collection, fetched), pace)
    }
    hadAny = hasAny ?? hadAny
    await pause(everyMs, signal)
  }
}

/** Whether there were any. */
async function serveAll(options: ServeOptions, signal: AbortSignal): Promise<boolean> {
  const { readStore } = options
  const found = await readStore.find(collection, { where: {}, limit: waitingMax })
  for (const document of found) {
    if (signal.aborted) break
    const change = await changeAfter(options, document)
    if (change) await readStore.commit([change], checkpoint)
  }
  return found.length > 0
}

async function changeAfter(
  { retry, nowMs, onFault }: ServeOptions,
  document: StoredDocument,
): Promise<Change | undefined> {
  const { id } = document
  const request = requestOf(document)
  if (request.state !== 'asked') {
    return Math.abs(nowMs() - request.at) > keepMs ? changeOf(id, fetched) : undefined
  }
  try {
    const retried = await retry(request.projection)
    return changeOf(id, answered, { state: 'done', retried, at: nowMs() })
  } catch (error) {
    // it is tried again
    if (error instanceof Failure && error.code === 'unavailable') return undefined
    onFault(error)
    return changeOf(id, answered, { state: 'failed', at: nowMs() })
  }
}

/** Without a request it is deleted. */
function changeOf(id: string, position: number, request?: Request): Change {
  return { collection, id, position, body: (request as unknown as DocumentBody) ?? null }
}

/** The request that `changeOf` has written. */
function requestOf({ body }: StoredDocument): Request {
  return body as unknown as Request
}
