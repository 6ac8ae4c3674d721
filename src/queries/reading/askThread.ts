/** The asking end of the line: questions to a thread, which is started again should it die. */

import { Failure } from '../../domain/failure.ts'
import { wordsOf } from '../../projections/running/attempt.ts'
import type { Thread as ThreadOf } from '../../projections/running/remoteProjections.ts'
import type { ActiveVersions, FromAnswering, ToAnswering } from './questionMessages.ts'
import { thrownFor } from './questionMessages.ts'

/** A thread that runs `serveQuestions`, such as a `Worker`. */
export interface AnsweringThread {
  readonly postMessage: (message: ToAnswering) => void
  readonly on: (event: 'message', listener: (message: FromAnswering) => void) => unknown
  readonly onEnd: ThreadOf['onEnd']
  readonly terminate: ThreadOf['terminate']
}

export interface AskThreadOptions {
  readonly start: () => AnsweringThread
  /** The version of each projection that readers use, now. */
  readonly active: () => ActiveVersions
  /** Told why, when the thread ended without being told to. */
  readonly onLost: (why: string) => void
  readonly nowMs: () => number
  /** How soon after a thread the next one may be started. */
  readonly restartMs?: number
  /** How long a thread may go on with what was given up before it is ended by force. */
  readonly graceMs?: number
  /** How long closing waits. */
  readonly closeMs?: number
}

export interface ThreadAsking {
  readonly ask: (name: string, asked: unknown, signal: AbortSignal) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** Starts the thread. What it is asked while it is gone is refused, `unavailable`, until another may be started. */
export function askThread(options: AskThreadOptions): ThreadAsking {
  const { active, closeMs = 5_000, graceMs = 5_000 } = options
  let asks = 0
  let isClosed = false
  const threads = threadsOf(options)
  threads.current()

  return {
    ask: (name, asked, signal) => {
      const running = isClosed ? undefined : threads.current()
      if (!running) return Promise.reject(away('the thread that answers is gone'))
      asks += 1
      const id = asks
      return new Promise((resolve, reject) => {
        let force: NodeJS.Timeout | undefined
        const giveUp = (): void => {
          running.thread.postMessage({ kind: 'give_up', id })
          reject(away('it took too long'))
          force = setTimeout(() => void running.thread.terminate(), graceMs)
        }
        const settle = (done: () => void): void => {
          signal.removeEventListener('abort', giveUp)
          clearTimeout(force)
          running.asked.delete(id)
          done()
        }
        running.asked.set(id, {
          resolve: (value) => settle(() => resolve(value)),
          reject: (error) => settle(() => reject(error)),
        })
        signal.addEventListener('abort', giveUp, { once: true })
        running.thread.postMessage({ kind: 'ask', id, name, asked, active: active() })
      })
    },
    close: async () => {
      isClosed = true
      await threads.close(closeMs)
    },
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Running {
  readonly thread: AnsweringThread
  readonly asked: Map<number, Waiting>
  readonly ended: Promise<void>
}

interface Threads {
  /** Starts one when there is none and it may be started. */
  readonly current: () => Running | undefined
  readonly close: (withinMs: number) => Promise<void>
}

function threadsOf({ start, onLost, nowMs, restartMs = 1_000 }: AskThreadOptions): Threads {
  let running: Running | undefined
  let startedMs = Number.NEGATIVE_INFINITY
  let isClosing = false

  const startOne = (): Running => {
    startedMs = nowMs()
    const one = run(start(), (why) => {
      if (running === one) running = undefined
      for (const { reject } of one.asked.values()) reject(away(why))
      if (!isClosing) onLost(why)
    })
    return one
  }
  return {
    current: () => {
      if (!running && nowMs() - startedMs >= restartMs) running = startOne()
      return running
    },
    close: async (withinMs) => {
      isClosing = true
      if (!running) return
      const { thread, ended } = running
      const late = setTimeout(() => void thread.terminate(), withinMs)
      thread.postMessage({ kind: 'close' })
      await ended
      clearTimeout(late)
      await thread.terminate()
    },
  }
}

function run(thread: AnsweringThread, onEnd: (why: string) => void): Running {
  const asked: Running['asked'] = new Map()
  const ended = new Promise<void>((resolve) => {
    thread.onEnd((error) => {
      onEnd(error === undefined ? 'it stopped by itself' : wordsOf(error))
      resolve()
    })
    thread.on('message', (message) => {
      if (message.kind === 'closed') resolve()
      if (message.kind === 'answer') asked.get(message.id)?.resolve(message.value)
      if (message.kind === 'failure') asked.get(message.id)?.reject(thrownFor(message.failure))
    })
  })
  return { thread, asked, ended }
}

function away(why: string): Failure {
  return new Failure('unavailable', 'This cannot be answered right now; try again.', {
    retryAfterSeconds: 1,
    cause: new Error(why),
  })
}
