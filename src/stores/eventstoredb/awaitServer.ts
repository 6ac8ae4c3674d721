/** Waits at start until EventStoreDB answers, and rejects denied access or an old version. */

import { setTimeout as delay } from 'node:timers/promises'
import { withTimeout } from '../withTimeout.ts'
import type { Client, Connection } from './eventStoreDbConnection.ts'
import { eventStoreErrorText, isDamagedLog, isDenied, isUnknownUser } from './protocolErrors.ts'
import type { LogEndTracker } from './readLogPages.ts'

export interface AwaitServerOptions {
  readonly connection: Connection
  readonly end: LogEndTracker
  /** Time limits: until the server is there, and of one call. */
  readonly startMs: number
  readonly readMs: number
  /** Called once, within a second, with what the start waits for when the server is not there at once. */
  readonly onWaiting?: ((what: string) => void) | undefined
}

/** Time before a wait is reported. */
const silentMs = 300
/** Time between two attempts. */
const pauseMs = 250

/**
 * Settles when the server has reported its features and the end of its log. Rejects with an `Error` for the operator when it does not in
 * time, denies access, or is older than 22.6.
 */
export async function awaitServer(options: AwaitServerOptions): Promise<void> {
  const { connection, startMs, onWaiting } = options
  const what = `Waiting up to ${Math.ceil(startMs / 1_000)} s for the EventStoreDB that EVENTSTORE_URL leads to`
  const untilMs = performance.now() + startMs
  let why = 'it has not answered yet'
  const telling = setTimeout(() => onWaiting?.(`${what}: ${why}.`), silentMs)
  try {
    for (;;) {
      const client = connection.client()
      const error = await failureOf(meetOnce(options, client))
      if (error === undefined) return
      // the client caches the first answer about features, even an error
      connection.discardClient(client)
      if (error instanceof UnfitServer) throw error
      if (isDenied(causeOf(error)) || isDamagedLog(error) || performance.now() >= untilMs) {
        throw refusal(error)
      }
      why = plainWords(causeOf(error))
      await delay(pauseMs)
    }
  } finally {
    clearTimeout(telling)
  }
}

function failureOf(work: Promise<void>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

class UnfitServer extends Error {}

async function meetOnce({ end, readMs }: AwaitServerOptions, client: Client): Promise<void> {
  const late = () => new Error(`no answer in ${readMs} ms`)
  if (!(await withTimeout(client.isModern(), readMs, late))) {
    throw new UnfitServer(
      'EVENTSTORE_URL leads to an EventStoreDB that is too old: Vigil needs 22.6 or newer.',
    )
  }
  await end.find()
}

function refusal(error: unknown): Error {
  const words = plainWords(causeOf(error))
  const advice = adviceFor(causeOf(error))
  const message = `Cannot use the EventStoreDB that EVENTSTORE_URL leads to: ${words}.`
  return new Error(advice === undefined ? message : `${message} ${advice}`, { cause: error })
}

/** The text without what gRPC wraps around it. */
function plainWords(error: unknown): string {
  return eventStoreErrorText(error)
    .replace(/\.\s*Resolution note:[\s.]*$/, '')
    .replace(/^.*Last error: (?:Error: )?/s, '')
    .trim()
}

/** Advice for the operator, for errors with a known cause. */
function adviceFor(error: unknown): string | undefined {
  const words = eventStoreErrorText(error)
  if (isUnknownUser(error)) return 'The user name or the password in EVENTSTORE_URL is wrong.'
  if (isDenied(error)) {
    return "The user may not read $all: as an administrator, run once setStreamMetadata('$all', { acl: { readRoles: ['vigil', '$admins'] } }) with the name of the user in place of vigil (docs/guide/deployment.md, The log in EventStoreDB)."
  }
  if (/certificate|self.signed/i.test(words)) {
    return 'Name the certificate of its authority in EVENTSTORE_URL: tlsCAFile=/path.'
  }
  if (/wrong version number|packet length too long|http\/?1|tlsv1|EPROTO/i.test(words)) {
    return 'It seems to speak no TLS: tls=false in EVENTSTORE_URL does without.'
  }
  if (/failed to connect|connection dropped|ECONNRESET|socket hang up/i.test(words)) {
    return 'If it is there, it may expect TLS where EVENTSTORE_URL says tls=false, or the other way round.'
  }
  return undefined
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error
}
