/** Keeps so many workers running: one that ends by itself is replaced, while the others go on. */

import cluster, { type Worker } from 'node:cluster'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { openProcessLine, type ProcessLine } from '../domain/processLine.ts'
import type { Logger } from '../log.ts'
import { stopMs } from './stopping.ts'
import { watchWorker } from './watchWorker.ts'
import { lineDescriptor } from './worker.ts'

export interface WorkersOptions {
  readonly count: number
  /** Opens to a worker what it needs, before it asks. */
  readonly lend: (line: ProcessLine) => void
  readonly logger: Pick<Logger, 'error'>
  /** Told of each that ended by itself. */
  readonly onLost: () => void
  /** The pause before one that has not lived for long is replaced. */
  readonly pauseMs?: number
}

export interface Workers {
  /** The port that they listen on. */
  readonly port: number
  /** Has all answer what is under way and end; false when one had to be cut. */
  readonly stop: () => Promise<boolean>
}

interface Running {
  readonly worker: Worker
  readonly line: ProcessLine
  /** Its port, once it listens; rejects when it ends before. */
  readonly ready: Promise<number>
  /** Settles with whether it ended well. */
  readonly ended: Promise<boolean>
  /** Why it could not begin, as it has said, or why it was ended; undefined when neither is known. */
  readonly why: () => string | undefined
}

/** A worker may take so long beyond its last answers. */
const closeMs = 10_000
/** One that has lived so long was well: it is replaced at once. */
const wellMs = 10_000
/** The longest pause before the next is started, when one after the other ends. */
const pauseMaxMs = 30_000

/** Starts them; resolves when all of them listen, rejects when one cannot. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { count, logger, onLost, pauseMs = 1_000 } = options
  const running = new Set<Running>()
  /** Before all of them listen, one that ends ends the start. */
  let isStarted = false
  let isStopping = false
  let nextPauseMs = pauseMs

  const replace = async (): Promise<void> => {
    while (!isStopping) {
      try {
        start().ready.catch(() => undefined)
        return
      } catch (err) {
        logger.error({ err }, 'A worker cannot be started; it is tried again.')
        await pause()
      }
    }
  }
  const pause = async (): Promise<void> => {
    await sleep(nextPauseMs)
    nextPauseMs = Math.min(pauseMaxMs, nextPauseMs * 2)
  }
  const start = (): Running => {
    const one = startOne(options)
    running.add(one)
    const startedMs = performance.now()
    void one.ended.then(async () => {
      running.delete(one)
      if (!isStarted || isStopping) return
      onLost()
      const { id, process } = one.worker
      const { exitCode: code, signalCode: signal } = process
      const why = one.why()
      logger.error({ ended: id, code, signal, why }, 'A worker ended; another one takes its place.')
      if (performance.now() - startedMs >= wellMs) nextPauseMs = pauseMs
      else await pause()
      await replace()
    })
    return one
  }
  const stop = async (): Promise<boolean> => {
    isStopping = true
    const ends = await Promise.all([...running].map(stopOne))
    return ends.every(Boolean)
  }

  setUp()
  try {
    const ports = await Promise.all(Array.from({ length: count }, () => start().ready))
    isStarted = true
    return { port: ports[0] ?? 0, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function setUp(): void {
  // each takes connections itself: handed over one at a time, a thousand that come at once would keep out whoever comes behind them
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // the line is a pipe of its own: what is said on the channel of the cluster waits for others
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'] as const
  cluster.setupPrimary({ stdio: [...stdio] })
}

function startOne({ lend }: WorkersOptions): Running {
  const worker = cluster.fork()
  // what is sent to one that has ended is its end's to tell
  worker.on('error', () => undefined)
  const pipe = worker.process.stdio[lineDescriptor] as Duplex | undefined
  if (!pipe) throw new Error('the system gives no more processes or descriptors')
  const line = openProcessLine(pipe)
  lend(line)
  const ended = new Promise<boolean>((resolve) => {
    worker.once('exit', (code) => resolve(code === 0))
  })
  let why: string | undefined
  watchWorker(line, (reason) => {
    why = reason
    worker.process.kill('SIGKILL')
  })
  const ready = new Promise<number>((resolve, reject) => {
    const refused = (reason: string): void => {
      why = reason
      reject(new Error(reason))
    }
    line.serve({ hears: { ready: resolve, refused } })
    void ended.then(() => reject(new Error(why ?? unexplained(worker))))
  })
  return { worker, line, ready, ended, why: () => why }
}

function unexplained({ process: { exitCode, signalCode } }: Worker): string {
  const how = signalCode ? `by ${signalCode}` : `with status ${exitCode}; see above`
  return `A worker ended before it listened, ${how}.`
}

async function stopOne({ worker, line, ended }: Running): Promise<boolean> {
  line.tell('stop')
  const late = setTimeout(() => worker.process.kill('SIGKILL'), stopMs + closeMs)
  try {
    return await ended
  } finally {
    clearTimeout(late)
  }
}
