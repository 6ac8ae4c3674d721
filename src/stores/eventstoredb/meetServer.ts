/** Waits at start until EventStoreDB answers, grants access and has a supported version. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Connection, Line } from './connection.ts'
import type { LogEnd } from './logEnd.ts'
import { isDamagedLog, isDenied, isUnknownUser, wordsOfError } from './protocolErrors.ts'

export interface MeetOptions {
  readonly connection: Connection
  readonly end: LogEnd
  /** How long the server may take to be there, and to answer one question. */
  readonly startMs: number
  readonly readMs: number
  /** Told once, within a second, what is waited for where the server is not there at once. */
  readonly onWaiting?: ((what: string) => void) | undefined
}

/** How long it is waited without a word. */
const silentMs = 300

/** Time between two tries. */
const pauseMs = 250

/**
 * Settles when the server has reported its features and the end of its log. Rejects with an `Error` for the operator when it does not in
 * time, denies access, or is older than 22.6.
 */
export async function meetServer(options: MeetOptions): Promise<void> {
  const { startMs, onWaiting } = options
  const what = `Waiting up to ${Math.ceil(startMs / 1_000)} s for the EventStoreDB that EVENTSTORE_URL leads to`
  let why = 'it has not answered yet'
  const telling = setTimeout(() => onWaiting?.(`${what}: ${why}.`), silentMs)
  const hear = (trouble: string): void => {
    why = trouble
  }
  try {
    await meetInTime(options, hear)
  } finally {
    clearTimeout(telling)
  }
}

async function meetInTime(options: MeetOptions, hear: (why: string) => void): Promise<void> {
  const { connection, startMs } = options
  const untilMs = performance.now() + startMs
  for (;;) {
    const line = connection.line()
    try {
      return await meetOnce(options, line)
    } catch (error) {
      // the client keeps what it was told first, even that the server could not tell
      connection.giveUp(line)
      if (error instanceof UnfitServer) throw error
      if (isDenied(causeOf(error)) || isDamagedLog(error) || performance.now() >= untilMs) {
        throw refusal(error)
      }
      hear(plainWords(causeOf(error)))
    }
    await delay(pauseMs)
  }
}

class UnfitServer extends Error {}

async function meetOnce({ end, readMs }: MeetOptions, line: Line): Promise<void> {
  if (!(await inTime(line.isModern(), readMs))) {
    throw new UnfitServer(
      'EVENTSTORE_URL leads to an EventStoreDB that is too old: Vigil needs 22.6 or newer.',
    )
  }
  await end.find()
}

function refusal(error: unknown): Error {
  const words = plainWords(causeOf(error))
  const advice = adviceFor(causeOf(error))
  const said = `Cannot use the EventStoreDB that EVENTSTORE_URL leads to: ${words}.`
  return new Error(advice === undefined ? said : `${said} ${advice}`, { cause: error })
}

/** Without what gRPC says around the words of others. */
function plainWords(error: unknown): string {
  return wordsOfError(error)
    .replace(/\.\s*Resolution note:[\s.]*$/, '')
    .replace(/^.*Last error: (?:Error: )?/s, '')
    .trim()
}

/** What an operator can do, where the words of the server or of the connection tell. */
function adviceFor(error: unknown): string | undefined {
  const words = wordsOfError(error)
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

async function inTime<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
