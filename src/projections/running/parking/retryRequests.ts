/** Sends requests to retry parked events through the read store, and serves them. */

import { Failure } from '../../../domain/failure.ts'
import type {
  Change,
  Checkpoint,
  Collection,
  DocumentBody,
  ReadStore,
  StoredDocument,
} from '../../../stores/readStore.ts'
import type { Projections, Retried } from '../projections.ts'
import { pause, retryOutages } from '../retryOutages.ts'

/** How often the one looks for requests, and the other for the answer. */
const lookEveryMs = 100
/** How long it is waited for the answer. */
const answerMs = 10_000
/** Requests that may wait at a time. */
const waitingMax = 100
/** For how long an answer stays that nobody has fetched. */
const keepMs = 10 * 60 * 1_000

const collection: Collection = { name: 'retry_requests', version: 1, indexes: [] }
/** A commit needs one; there is nothing behind it to be handled. */
const checkpoint: Checkpoint = {
  projection: collection.name,
  version: collection.version,
  position: 0,
  ready: true,
  collections: [collection.name],
}
/** The positions of a request's document: what comes later in its life is never written over by what came before. */
const asked = 1
const answered = 2
const fetched = 3

/** The body of a request: asked for, then carried out or refused. */
type Request =
  | { readonly projection: string; readonly state: 'asked' }
  | { readonly state: 'done'; readonly retried: Retried; readonly at: number }
  | { readonly state: 'failed'; readonly at: number }

export interface AskOptions {
  readonly readStore: Pick<ReadStore, 'get' | 'find' | 'checkpoints' | 'commit'>
  /** Names the request; the ids of later requests come later in the order of texts. */
  readonly newId: () => string
  readonly everyMs?: number
  readonly withinMs?: number
}

/**
 * Asks the instance that runs the projections to retry the parked events of this one, and answers the outcome. Throws `unavailable`
 * when no instance has ever run them, too many requests wait, or there is no answer in time: the request then stays and will be served.
 */
export async function askForRetry(options: AskOptions, projection: string): Promise<Retried> {
  const { readStore, newId, everyMs = lookEveryMs, withinMs = answerMs } = options
  if (!(await isServed(readStore))) throw unanswered('No instance has run the projections yet.')
  const waiting = await readStore.find(collection, { where: {}, limit: waitingMax })
  if (waiting.length >= waitingMax) throw unanswered('Too many requests of this kind wait.')
  const id = newId()
  await readStore.commit([changeOf(id, asked, { projection, state: 'asked' })], checkpoint)
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += everyMs) {
    await pause(everyMs, new AbortController().signal)
    const found = await readStore.get(collection, id)
    const request = found && requestOf(found)
    if (!request || request.state === 'asked') continue
    await readStore.commit([{ collection, id, position: fetched, body: null }], checkpoint)
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

async function isServed(readStore: Pick<ReadStore, 'checkpoints'>): Promise<boolean> {
  const checkpoints = await readStore.checkpoints()
  return checkpoints.some(({ projection }) => projection === checkpoint.projection)
}

export interface ServeOptions {
  /** For the holder of the lease. */
  readonly readStore: Pick<ReadStore, 'find' | 'prepare' | 'commit' | 'sweep'>
  readonly retry: Projections['retryParked']
  readonly nowMs: () => number
  readonly everyMs?: number
  /** Told why one could not be carried out, and of what ends it for good. */
  readonly onFault: (error: unknown) => void
}

/** Serves the requests of other instances, until it is closed; also those to an earlier holder of the lease. Outages are waited out. */
export function serveRetryRequests(options: ServeOptions): { readonly close: () => Promise<void> } {
  const stop = new AbortController()
  const done = keepServing(options, stop.signal).catch(options.onFault)
  return {
    close: async () => {
      stop.abort()
      await done
    },
  }
}

async function keepServing(options: ServeOptions, signal: AbortSignal): Promise<void> {
  const { readStore, everyMs = lookEveryMs } = options
  const surely = <Value>(work: () => Promise<Value>) =>
    retryOutages(work, {
      signal,
      backoffMs: everyMs,
      backoffMaxMs: 10 * everyMs,
      // whoever runs the projections uses the same store and has said it
      onOutage: () => undefined,
    })
  await surely(() => readStore.prepare([collection]))
  await surely(() => readStore.commit([], checkpoint))
  let hadAny = true
  while (!signal.aborted) {
    const hasAny = await surely(() => serveAll(options, signal))
    if (hadAny && hasAny === false) await surely(() => readStore.sweep(collection, fetched))
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
  options: ServeOptions,
  document: StoredDocument,
): Promise<Change | undefined> {
  const { id } = document
  const request = requestOf(document)
  if (request.state === 'asked') {
    const answer = await carryOut(options, request.projection)
    return answer && changeOf(id, answered, answer)
  }
  const isForgotten = Math.abs(options.nowMs() - request.at) > keepMs
  return isForgotten ? { collection, id, position: fetched, body: null } : undefined
}

/** Undefined when it cannot be done now: it is tried again. */
async function carryOut(
  { retry, nowMs, onFault }: ServeOptions,
  projection: string,
): Promise<Request | undefined> {
  try {
    return { state: 'done', retried: await retry(projection), at: nowMs() }
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') return undefined
    onFault(error)
    return { state: 'failed', at: nowMs() }
  }
}

function changeOf(id: string, position: number, request: Request): Change {
  return { collection, id, position, body: request as unknown as DocumentBody }
}

/** `changeOf` alone writes them. */
function requestOf({ body }: StoredDocument): Request {
  return body as unknown as Request
}
