/** The line between two processes of one service: questions that are answered, and news that are not, both ways, in order. */

import type { Duplex } from 'node:stream'
import { deserialize, serialize } from 'node:v8'
import { Failure, type FailureCode } from './failure.ts'
import { frameOf, frameReader } from './lineFrames.ts'

export interface ProcessLine {
  /** Adds to what the other side can ask and tell; what it asks or tells under a name that nobody has added is refused, or ends the line. */
  readonly serve: (handlers: LineHandlers) => void
  /**
   * The answer of the other side to the question of this name. Throws what it threw, and `unavailable` when the line has ended, or when
   * there is no answer within so many milliseconds, if any are given: it is not heard then any more, whatever was done.
   */
  readonly ask: (name: string, value?: unknown, withinMs?: number) => Promise<unknown>
  /** Says something that nobody answers; nothing when the line has ended. */
  readonly tell: (name: string, value?: unknown) => void
  /** Whether the other side has taken so little of what was said that there is no use in telling news; only the newest counts. */
  readonly isFull: () => boolean
  /** How often something has come from the other side: while it does not rise, the other side says nothing. */
  readonly received: () => number
  /** Settles when the line has ended, whoever ended it. */
  readonly ended: Promise<void>
  /** Sends what was said and ends the line. */
  readonly close: () => void
}

/** By name, what is done with a question, whose answer may be a promise, and with news. */
export interface LineHandlers {
  readonly answers?: Readonly<Record<string, (value: never) => unknown>>
  readonly hears?: Readonly<Record<string, (value: never) => void>>
}

type Handler = (value: unknown) => unknown

/** Messages of one frame: the other side reads what has come whole while the next ones are on their way. */
const frameMax = 64

type Message =
  | readonly [kind: 'ask', id: number, name: string, value: unknown]
  | readonly [kind: 'tell', name: string, value: unknown]
  | readonly [kind: 'answer', id: number, value: unknown]
  | readonly [kind: 'failed', id: number, failed: Failed]

interface Failed {
  /** Undefined for what nobody expected. */
  readonly code: FailureCode | undefined
  readonly message: string
  readonly retryAfterSeconds: number | undefined
  readonly isDamage: boolean
  readonly cause: string | undefined
}

interface Asked {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Opens one end. What is said within one turn of the event loop leaves as one frame: a line to a busy process costs a system call a turn.
 * Both ends are of one program, so what cannot be read ends the line.
 */
export function openProcessLine(socket: Duplex): ProcessLine {
  const answers = new Map<string, Handler>()
  const hears = new Map<string, Handler>()
  const asked = new Map<number, Asked>()
  let unsent: Message[] = []
  let asks = 0
  let isOver = false
  let trouble: unknown

  const flush = (): void => {
    const messages = unsent
    unsent = []
    try {
      for (let at = 0; at < messages.length && !isOver; at += frameMax) {
        socket.write(frameOf(serialize(messages.slice(at, at + frameMax))))
      }
    } catch (error) {
      // what cannot be said would be waited for without end
      socket.destroy(error instanceof Error ? error : undefined)
    }
  }
  const say = (message: Message): void => {
    if (isOver) return
    if (unsent.length === 0) setImmediate(flush)
    unsent.push(message)
  }
  const answer = async (id: number, name: string, value: unknown): Promise<void> => {
    try {
      say(['answer', id, await handlerOf(answers, name)(value)])
    } catch (error) {
      say(['failed', id, failedOf(error)])
    }
  }
  const hear = (message: Message): void => {
    if (message[0] === 'ask') void answer(message[1], message[2], message[3])
    else if (message[0] === 'tell') handlerOf(hears, message[1])(message[2])
    else settle(asked, message)
  }
  const ended = endOf(socket).then((error) => {
    isOver = true
    trouble = error
    for (const { reject } of asked.values()) reject(away(trouble))
    asked.clear()
  })
  return {
    serve: (handlers) => {
      addTo(answers, handlers.answers)
      addTo(hears, handlers.hears)
    },
    ask: (name, value, withinMs) =>
      new Promise((resolve, reject) => {
        if (isOver) return reject(away(trouble))
        asks += 1
        const id = asks
        const late = (): void => settle(asked, ['failed', id, failedOf(silent(name, withinMs))])
        asked.set(id, timed({ resolve, reject }, late, withinMs))
        say(['ask', id, name, value])
      }),
    tell: (name, value) => say(['tell', name, value]),
    isFull: () => socket.writableNeedDrain,
    received: readMessages(socket, hear),
    ended,
    close: () => {
      flush()
      socket.end()
    },
  }
}

/** Hands out what comes, in order; the first that cannot be read, or that `hear` throws at, ends the stream. Answers how often something has come. */
function readMessages(socket: Duplex, hear: (message: Message) => void): () => number {
  let received = 0
  const read = frameReader((frame) => {
    for (const message of deserialize(frame) as readonly Message[]) hear(message)
  })
  socket.on('data', (piece: Buffer) => {
    received += 1
    try {
      read(piece)
    } catch (error) {
      socket.destroy(asError(error))
    }
  })
  return () => received
}

/** Settles when nothing more comes and nothing more leaves, with what was wrong, if anything was. */
function endOf(socket: Duplex): Promise<unknown> {
  let trouble: unknown
  socket.on('error', (error) => {
    trouble ??= error
  })
  socket.once('end', () => socket.destroy())
  return new Promise((resolve) => socket.once('close', () => resolve(trouble)))
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

function addTo(
  known: Map<string, Handler>,
  handlers: Readonly<Record<string, unknown>> = {},
): void {
  for (const [name, handler] of Object.entries(handlers)) known.set(name, handler as Handler)
}

function handlerOf(handlers: ReadonlyMap<string, Handler>, name: string): Handler {
  const handler = handlers.get(name)
  if (!handler) throw new Error(`nothing on this line answers ${name}`)
  return handler
}

function settle(
  asked: Map<number, Asked>,
  message: Extract<Message, readonly ['answer' | 'failed', ...unknown[]]>,
): void {
  const [kind, id, value] = message
  const one = asked.get(id)
  asked.delete(id)
  if (kind === 'answer') one?.resolve(value)
  else one?.reject(errorOf(value as Failed))
}

/** Only what a port may throw crosses with its code, and the words of its cause, which are for the operator. */
function failedOf(error: unknown): Failed {
  const expected = error instanceof Failure ? error : undefined
  return {
    code: expected?.code,
    message: error instanceof Error ? error.message : String(error),
    retryAfterSeconds: expected?.retryAfterSeconds,
    isDamage: expected?.isDamage ?? false,
    cause: expected?.cause instanceof Error ? expected.cause.message : undefined,
  }
}

function errorOf({ code, message, retryAfterSeconds, isDamage, cause }: Failed): Error {
  if (code === undefined) return new Error(message)
  return new Failure(code, message, {
    isDamage,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(cause !== undefined && { cause: new Error(cause) }),
  })
}

/** The same question, with `late` called unless it is settled within so many milliseconds, if any are given. */
function timed(asked: Asked, late: () => void, withinMs: number | undefined): Asked {
  if (withinMs === undefined) return asked
  const { resolve, reject } = asked
  const timer = setTimeout(late, withinMs)
  return {
    resolve: (value) => {
      clearTimeout(timer)
      resolve(value)
    },
    reject: (error) => {
      clearTimeout(timer)
      reject(error)
    },
  }
}

function silent(name: string, withinMs: number | undefined): Failure {
  return new Failure('unavailable', 'The service is overloaded; try again.', {
    retryAfterSeconds: 1,
    cause: new Error(`the other process has not answered ${name} within ${withinMs} ms`),
  })
}

function away(trouble: unknown): Failure {
  return new Failure('unavailable', 'The service is restarting; try again.', {
    retryAfterSeconds: 1,
    cause: new Error('the line between the processes of the service has ended', {
      cause: trouble,
    }),
  })
}
