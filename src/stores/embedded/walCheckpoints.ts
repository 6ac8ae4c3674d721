/**
 * When the write-ahead log of the event log is moved into its file. Appends wait for what the writer moves itself, so another thread
 * moves nearly all of it, in small steps; the writer moves what was written during the last one, and the log is written over again.
 */

import { logPageBytes } from './logSchema.ts'
import { busyTimeoutMs, type Database, type Row } from './sqlite.ts'

/** What a step came to: how many pages the write-ahead log has, or why it failed; `ended` when there are no more steps. */
export type StepOutcome =
  | { readonly kind: 'moved'; readonly pages: number }
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'ended' }

/** Moves what the write-ahead log has into the file, and syncs the file, beside the writer. */
export interface WalMover {
  /** Takes one step, and tells between two batches what it came to. */
  readonly begin: (tell: (outcome: StepOutcome) => void) => void
  /** Settles when a step that was begun has ended and nothing runs any more. */
  readonly close: () => Promise<void>
}

export interface WalCheckpointsOptions {
  /** The writer's connection. */
  readonly database: Database
  /** Without one the writer moves all of it itself. */
  readonly mover?: Pick<WalMover, 'begin'>
  /** Told what a step failed with, or what SQLite said when the writer moved the rest. */
  readonly onFailed: (error: unknown) => void
}

export interface WalCheckpoints {
  /** Counts what a commit wrote. */
  readonly wrote: (bytes: number) => void
  /** Does what is due, or has it done. Call it after the answers have left. */
  readonly settle: () => void
  /** Moves nothing from now on: what is on disk is unknown until the log is opened anew. */
  readonly stop: () => void
}

/** Bytes written after which a step is due: few enough that a commit behind its sync waits for little. */
const stepBytes = 2 * 1024 * 1024
/**
 * Size of the write-ahead log from which on the writer moves the rest, in bytes. Small enough that the pages lie in the cache and the
 * log is written over in place, which syncs faster than a growing file.
 */
const settleAfterBytes = 8 * 1024 * 1024
/** Size beyond which the writer, and whoever appends, waits for the step and for readers that keep the log from being written over. */
const mostBytes = 64 * 1024 * 1024
/** Milliseconds that the writer waits for readers to end what they read: as a rule, and beyond that size. */
const waitsMs = { asARule: 5, beyond: 250 } as const

/** Counts from nothing: the write-ahead log is empty. */
export function walCheckpoints(options: WalCheckpointsOptions): WalCheckpoints {
  const { database, onFailed } = options
  let { mover } = options
  let unmovedBytes = 0
  let isMoving = false
  let isStopped = false

  const attempt = (move: () => void): void => {
    try {
      move()
    } catch (error) {
      onFailed(error)
    }
  }
  const stepped = (outcome: StepOutcome): void => {
    isMoving = false
    if (isStopped) return
    if (outcome.kind === 'failed') onFailed(outcome.error)
    else if (outcome.kind === 'ended') mover = undefined
    else if (outcome.pages >= pagesIn(settleAfterBytes)) {
      const waitMs = outcome.pages >= pagesIn(mostBytes) ? waitsMs.beyond : waitsMs.asARule
      attempt(() => moveRest(database, waitMs))
    }
  }
  /** Without steps. */
  const moveAll = (): void => {
    if (unmovedBytes < settleAfterBytes) return
    attempt(() => {
      checkpoint(database, 'PASSIVE')
      unmovedBytes = 0
    })
  }
  /** The step lasts too long. SQLite itself does not wait for a step of another connection. */
  const waitForStep = (): void => {
    if (unmovedBytes < mostBytes) return
    unmovedBytes -= stepBytes
    attempt(() => {
      const triesMax = waitsMs.beyond / waitsMs.asARule
      for (let tried = 0; moveRest(database, waitsMs.asARule) && tried < triesMax; tried += 1) {
        Atomics.wait(pauseCell, 0, 0, waitsMs.asARule)
      }
    })
  }
  return {
    wrote: (bytes) => {
      unmovedBytes += bytes
    },
    settle: () => {
      if (isStopped) return
      if (!mover) moveAll()
      else if (isMoving) waitForStep()
      else if (unmovedBytes >= stepBytes) {
        isMoving = true
        unmovedBytes = 0
        mover.begin(stepped)
      }
    },
    stop: () => {
      isStopped = true
    },
  }
}

/** Never changed: who waits on it waits for the time. */
const pauseCell = new Int32Array(new SharedArrayBuffer(4))

function pagesIn(bytes: number): number {
  return Math.ceil(bytes / logPageBytes)
}

/** Has the next commit begin the write-ahead log anew, unless a step or readers have not ended by then; whether that is so. */
function moveRest(database: Database, waitMs: number): boolean {
  database.exec(`PRAGMA busy_timeout = ${waitMs}`)
  try {
    return outcomeOf(database, 'RESTART')?.['busy'] === 1
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  }
}

/**
 * Answers how many pages the write-ahead log has. By hand, not by SQLite after a commit: there, a failed sync of the file would go
 * unnoticed and be taken for done.
 */
export function checkpoint(database: Database, mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): number {
  return Number(outcomeOf(database, mode)?.['log'] ?? 0)
}

function outcomeOf(database: Database, mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'): Row | undefined {
  return database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
}
