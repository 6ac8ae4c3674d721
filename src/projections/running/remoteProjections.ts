/** Projections that run in another thread, which is started again should it die. */

import { Failure } from '../../domain/failure.ts'
import { wordsOf } from './attempt.ts'
import { progressBoard } from './progressBoard.ts'
import type { Projection } from './projection.ts'
import { type Holding, notHeld } from './projectionLease.ts'
import type { FromProjections, Line, ToProjections } from './projectionMessages.ts'
import type { Alarm, Retried, SharedProjections } from './projections.ts'
import { pause } from './retryOutages.ts'
import { statesAtRest } from './states.ts'

/** A thread that runs `serveProjections`, such as a `Worker`. */
export interface Thread extends Line<ToProjections, FromProjections> {
  /** Called once, when the thread has ended, with why if it did not mean to. */
  readonly onEnd: (listener: (error?: unknown) => void) => void
  readonly terminate: () => Promise<unknown>
}

export interface RemoteOptions {
  readonly projections: readonly Projection[]
  readonly start: () => Thread
  readonly onAlarm: (alarm: Alarm) => void
  readonly onHolding?: (holding: Holding) => void
  /** Waits before a thread that died is started again: the first, and the longest. */
  readonly backoffMs?: number
  readonly backoffMaxMs?: number
  /** How long closing waits for the batch in hand before the thread is ended by force. */
  readonly closeMs?: number
}

interface Asked {
  readonly resolve: (retried: Retried) => void
  readonly reject: (error: Failure) => void
}

/** Starts the thread; resolves when its stores are open, rejects with an `Error` when it cannot open them at the first start. */
export async function openRemoteProjections(options: RemoteOptions): Promise<SharedProjections> {
  const { projections, onAlarm, closeMs = 10_000 } = options
  const stop = new AbortController()
  const hurry = (): void => line.current().postMessage({ kind: 'hurry' })
  const board = progressBoard(statesAtRest(projections), hurry)
  const asked = new Map<number, Asked>()
  let asks = 0
  let holding = notHeld

  const hold = (now: Holding): void => {
    holding = now
    options.onHolding?.(now)
  }
  const hear = (message: FromProjections): void => {
    if (message.kind === 'progress') board.update(message.states)
    if (message.kind === 'holding') hold(message.holding)
    if (message.kind === 'alarm') onAlarm(message.alarm)
    if (message.kind === 'retried') asked.get(message.id)?.resolve(message.retried)
    if (message.kind === 'retry_failed') asked.get(message.id)?.reject(away(message.message))
  }
  const lost = (message: string): void => {
    board.update(statesAtRest(projections, message))
    if (holding.held || !holding.heard) hold(notHeld)
    for (const { reject } of asked.values()) reject(away(message))
    onAlarm({ kind: 'outage', message })
  }
  const line = await threadLine({ ...options, signal: stop.signal, hear, lost })

  return {
    ...board,
    hurry,
    holding: () => holding,
    retryParked: (projection) => {
      asks += 1
      const id = asks
      const answer = new Promise<Retried>((resolve, reject) => asked.set(id, { resolve, reject }))
      line.current().postMessage({ kind: 'retry', id, projection })
      return answer.finally(() => asked.delete(id))
    },
    close: async () => {
      if (stop.signal.aborted) return
      stop.abort()
      await line.close(closeMs)
      for (const { reject } of asked.values()) reject(away('the projections are closed'))
      board.close()
    },
  }
}

function away(message: string): Failure {
  return new Failure('unavailable', 'The projections cannot be asked right now; try again.', {
    retryAfterSeconds: 1,
    cause: new Error(message),
  })
}

interface ThreadLineOptions extends RemoteOptions {
  readonly signal: AbortSignal
  readonly hear: (message: FromProjections) => void
  readonly lost: (message: string) => void
}

interface ThreadLine {
  readonly current: () => Thread
  readonly close: (withinMs: number) => Promise<void>
}

async function threadLine(options: ThreadLineOptions): Promise<ThreadLine> {
  const { signal, lost } = options
  let running = await startOne(options)

  const keepRunning = async (): Promise<void> => {
    while (!signal.aborted) {
      const why = await running.ended
      if (signal.aborted) return
      lost(`the thread of the projections ended: ${why}`)
      running = (await startAgain(options)) ?? running
    }
    await running.thread.terminate()
  }
  const kept = keepRunning()

  return {
    current: () => running.thread,
    close: async (withinMs) => {
      running.thread.postMessage({ kind: 'close' })
      const inTime = new AbortController()
      await Promise.race([running.ended, pause(withinMs, inTime.signal)])
      inTime.abort()
      await running.thread.terminate()
      await kept
    },
  }
}

/** Undefined when it was to be closed before it could be started. */
async function startAgain(options: ThreadLineOptions): Promise<Started | undefined> {
  const { signal, lost, backoffMs = 1_000, backoffMaxMs = 30_000 } = options
  for (let waitMs = backoffMs; ; waitMs = Math.min(backoffMaxMs, waitMs * 2)) {
    await pause(waitMs, signal)
    if (signal.aborted) return undefined
    try {
      return await startOne(options)
    } catch (error) {
      lost(`the thread of the projections cannot start: ${wordsOf(error)}`)
    }
  }
}

interface Started {
  readonly thread: Thread
  /** Settles with why it ended. */
  readonly ended: Promise<string>
}

function startOne({ start, hear }: ThreadLineOptions): Promise<Started> {
  const thread = start()
  return new Promise((resolve, reject) => {
    const ended = new Promise<string>((tell) => {
      thread.onEnd((error) => {
        const why = error === undefined ? 'it stopped by itself' : wordsOf(error)
        tell(why)
        // Has no effect once it was open.
        reject(new Error(why))
      })
      thread.on('message', (message) => {
        hear(message)
        if (message.kind === 'closed') tell('it was closed')
        if (message.kind === 'open') resolve({ thread, ended })
        if (message.kind === 'not_opened') {
          reject(new Error(message.message))
          void thread.terminate()
        }
      })
    })
  })
}
