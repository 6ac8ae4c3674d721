/** Waits at start until EventStoreDB answers, and rejects denied access or an old version. */

import { retry } from '../retry.ts'
import { withTimeout } from '../withTimeout.ts'
import {
  eventStoreErrorText,
  grpcCodeOf,
  grpcCodes,
  isAccessDenied,
  isDamagedLog,
  rootCauseOf,
} from './eventStoreDbErrors.ts'
import type { Client, LogConnection } from './logConnection.ts'

/** Between two attempts. */
const pauses = { backoffMs: 250, backoffMaxMs: 250 }

/**
 * Settles when the server has reported its features and the end of its log. Rejects with an `Error` for the operator
 * when it does not in time, denies access, or is older than 22.6. `onWaiting` is called once, within a second, with
 * what the start waits for when the server is not there at once.
 */
export async function awaitEventStoreDb(
  log: LogConnection,
  onWaiting?: (what: string) => void,
): Promise<void> {
  const { startMs, untoldMs } = log.pace
  const what = `Waiting up to ${Math.ceil(startMs / 1_000)} s for the EventStoreDB that EVENTSTORE_URL leads to`
  const untilMs = performance.now() + startMs
  let why = 'it has not answered yet'
  const telling = setTimeout(() => onWaiting?.(`${what}: ${why}.`), untoldMs)
  let client: Client | undefined
  const ask = (): Promise<void> => {
    client = log.client()
    return checkServer(log)
  }
  const onFailure = (error: unknown): void => {
    // the client caches the first answer about features, even an error
    log.discardClient(client)
    if (error instanceof UnsupportedServer) throw error
    const cause = rootCauseOf(error)
    const isFinal = isAccessDenied(cause) || isDamagedLog(error)
    if (isFinal || performance.now() >= untilMs) throw startError(cause)
    why = shortenErrorText(cause)
  }
  try {
    await retry(ask, onFailure, pauses)
  } finally {
    clearTimeout(telling)
  }
}

class UnsupportedServer extends Error {}

async function checkServer({ client, end, pace: { readMs } }: LogConnection): Promise<void> {
  const late = () => new Error(`no answer in ${readMs} ms`)
  if (!(await withTimeout(client().isModern(), readMs, late))) {
    throw new UnsupportedServer(
      'EVENTSTORE_URL leads to an EventStoreDB that is too old: Vigil needs 22.6 or newer.',
    )
  }
  await end.find()
}

function startError(cause: unknown): Error {
  const message = `Cannot use the EventStoreDB that EVENTSTORE_URL leads to: ${shortenErrorText(cause)}.`
  const advice = adviceFor(cause)
  return new Error(advice === undefined ? message : `${message} ${advice}`, { cause })
}

/** The text without what gRPC wraps around it. */
function shortenErrorText(error: unknown): string {
  return eventStoreErrorText(error)
    .replace(/\.\s*Resolution note:[\s.]*$/, '')
    .replace(/^.*Last error: (?:Error: )?/s, '')
    .trim()
}

/** Advice by what the error says. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /certificate|self.signed/i,
    'Name the certificate of its authority in EVENTSTORE_URL: tlsCAFile=/path.',
  ],
  [
    /wrong version number|packet length too long|http\/?1|tlsv1|EPROTO/i,
    'It seems to speak no TLS: tls=false in EVENTSTORE_URL does without.',
  ],
  [
    /failed to connect|connection dropped|ECONNRESET|socket hang up/i,
    'If it is there, it may expect TLS where EVENTSTORE_URL says tls=false, or the other way round.',
  ],
]

/** Advice for the operator, for errors with a known cause. */
function adviceFor(error: unknown): string | undefined {
  if (grpcCodeOf(error) === grpcCodes.unauthenticated) {
    return 'The user name or the password in EVENTSTORE_URL is wrong.'
  }
  if (isAccessDenied(error)) {
    return "The user may not read $all: as an administrator, run once setStreamMetadata('$all', { acl: { readRoles: ['vigil', '$admins'] } }) with the name of the user in place of vigil (docs/guide/deployment.md, The log in EventStoreDB)."
  }
  const words = eventStoreErrorText(error)
  return advice.find(([pattern]) => pattern.test(words))?.[1]
}
