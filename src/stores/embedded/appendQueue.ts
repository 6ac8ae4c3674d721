/**
 * Gathers the appends of concurrent callers into batches: while one is being written the next one grows (group commit), since every
 * commit costs all threads much that is the same for one append and for many. When the thread is too busy to hear soon that a batch is
 * done, the next one leaves all the same, so that the writer need not wait for it.
 */

import { Failure } from '../../domain/failure.ts'
import type { CommitStatistics } from '../commitStatistics.ts'
import { type Append, charsOf } from '../eventStore.ts'
import { unavailable } from './databaseTrouble.ts'
import type { Answer } from './logRows.ts'
import type { BatchResult } from './logWriter.ts'
import type { BatchWriter } from './owner.ts'

export interface AppendQueue {
  /** Settles with the answer of the store; rejects with `unavailable` when the queue is full, closed or its writer failed. */
  readonly add: (append: Append) => Promise<Answer>
  /** Takes no more appends and settles when those under way are done. */
  readonly drain: () => Promise<void>
}

export interface AppendQueueOptions {
  readonly writer: BatchWriter
  readonly onCommit?: (statistics: CommitStatistics) => void
  /** Told of every batch that leaves for the writer. */
  readonly onBegun?: () => void
  /** Told what became of every batch. */
  readonly onResult?: (result: BatchResult) => void
  readonly limits?: QueueLimits
  /** A clock that never goes back; the time since the process started unless given. */
  readonly nowMs?: () => number
}

export interface QueueLimits extends BatchLimits {
  /** Appends and text waiting or being written, beyond which new ones are refused at once. */
  readonly pendingMax: number
  readonly pendingBytesMax: number
  /** An append that has waited so long takes its batch along before the turn of the event loop ends, also while another is being written, */
  readonly overdueMs: number
  /** of which there are at most so many, with less text than this: whoever comes now waits behind all of them. */
  readonly writesMax: number
  readonly writingBytesMax: number
  /** Appends answered within one turn of the event loop, beyond which nothing more leaves or is asked for in it. */
  readonly answeredMax: number
}

export const queueLimits: QueueLimits = Object.freeze({
  pendingMax: 10_000,
  pendingBytesMax: 64 * 1024 * 1024,
  batchMax: 1_024,
  batchBytesMax: 1024 * 1024,
  overdueMs: 8,
  writesMax: 2,
  writingBytesMax: 512 * 1024,
  answeredMax: 256,
})

interface Pending extends Waiting {
  readonly append: Append
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Failure) => void
}

interface QueueState {
  readonly waiting: AppendLines<Pending>
  /** When the first of those waiting came. */
  sinceMs: number
  pending: number
  pendingBytes: number
  /** Batches being written, and their text. */
  writes: number
  writingBytes: number
  /** Whether those waiting leave after this turn of the event loop. */
  leaving: boolean
  /** Whether the appends answered within this turn of the event loop are being counted, and how many they are. */
  turning: boolean
  answered: number
  /** Why no more appends are taken. */
  end: Failure | undefined
  drained: (() => void)[]
}

/** Opens the queue before a writer. */
export function appendQueue(options: AppendQueueOptions): AppendQueue {
  const { limits = queueLimits, nowMs = () => performance.now() } = options
  const state: QueueState = {
    waiting: appendLines(),
    sinceMs: 0,
    pending: 0,
    pendingBytes: 0,
    writes: 0,
    writingBytes: 0,
    leaving: false,
    turning: false,
    answered: 0,
    end: undefined,
    drained: [],
  }
  const gathering: Gathering = { ...options, limits, nowMs, state }
  return {
    add: (append) =>
      new Promise((resolve, reject) => {
        const bytes = charsOf(append.events)
        const refused = state.end ?? overfull(state, bytes, limits)
        if (refused) reject(refused)
        else join(gathering, { append, account: append.account, bytes, resolve, reject })
      }),
    drain: () => {
      state.end ??= unavailable('event log', new Error('the event log is closed'))
      return new Promise((resolve) => {
        if (state.pending > 0) state.drained.push(resolve)
        else resolve()
      })
    },
  }
}

interface Gathering extends Required<Pick<AppendQueueOptions, 'writer' | 'limits' | 'nowMs'>> {
  readonly onCommit?: AppendQueueOptions['onCommit']
  readonly onBegun?: AppendQueueOptions['onBegun']
  readonly onResult?: AppendQueueOptions['onResult']
  readonly state: QueueState
}

function join(gathering: Gathering, pending: Pending): void {
  const { state, writer, limits, nowMs } = gathering
  const room = hasRoom(gathering)
  // a turn of the event loop can be long, and whoever waits for an answer need not wait for its end
  if (room && state.writes > 0) writer.hear()
  const now = nowMs()
  if (state.waiting.isEmpty()) state.sinceMs = now
  state.waiting.add(pending)
  state.pending += 1
  state.pendingBytes += pending.bytes
  const overdue = now - state.sinceMs >= limits.overdueMs
  const mayLeave = state.writes < limits.writesMax && state.writingBytes < limits.writingBytesMax
  if (overdue && room && mayLeave) void send(gathering)
  else leaveSoon(gathering)
}

/**
 * Whether this turn of the event loop has answered few enough appends to go on answering: whoever is answered may append again at
 * once, and the turn would never end.
 */
function hasRoom({ state, limits }: Gathering): boolean {
  if (!state.turning) {
    state.turning = true
    state.answered = 0
    setImmediate(() => {
      state.turning = false
    })
  }
  return state.answered < limits.answeredMax
}

function overfull(state: QueueState, bytes: number, limits: QueueLimits): Failure | undefined {
  const full =
    state.pending >= limits.pendingMax ||
    (state.pending > 0 && state.pendingBytes + bytes > limits.pendingBytesMax)
  return full ? unavailable('event log', new Error('too many appends are waiting')) : undefined
}

/** Begins after the turn of the event loop, so that all that arrived in it shares the first batch. */
function leaveSoon(gathering: Gathering): void {
  const { state } = gathering
  if (state.leaving || state.writes > 0) return
  state.leaving = true
  setImmediate(() => {
    state.leaving = false
    if (state.writes === 0 && !state.waiting.isEmpty()) void send(gathering)
  })
}

async function send(gathering: Gathering): Promise<void> {
  const { state, writer, onCommit, onBegun, onResult, limits, nowMs } = gathering
  const batch = state.waiting.take(limits)
  const bytes = batch.reduce((sum, one) => sum + one.bytes, 0)
  const begunMs = nowMs()
  state.sinceMs = begunMs
  state.writes += 1
  state.writingBytes += bytes
  onBegun?.()
  const result = await writer.write(batch.map(({ append }) => append))
  state.writes -= 1
  state.writingBytes -= bytes
  state.answered += batch.length
  const statistics = statisticsOf(batch, nowMs() - begunMs)
  state.pending -= batch.length
  state.pendingBytes -= statistics.bytes
  // before anybody hears of it: who is refused and asks how the store is must not be told that it is well
  onResult?.(result)
  settle(state, batch, result)
  if (result.kind === 'written') onCommit?.(statistics)
  if (!state.waiting.isEmpty()) leaveSoon(gathering)
  if (state.pending === 0) for (const resolve of state.drained) resolve()
}

function settle(state: QueueState, batch: readonly Pending[], result: BatchResult): void {
  if (result.kind === 'written') {
    for (const [index, { resolve, reject }] of batch.entries()) {
      const answer = result.answers[index]
      if (answer) resolve(answer)
      else reject(unavailable('event log', new Error('the writer left an append unanswered')))
    }
    return
  }
  const failure = result.broken
    ? stopped(result.reason)
    : unavailable('event log', new Error(result.reason))
  for (const { reject } of batch) reject(failure)
  if (!result.broken) return
  state.end = failure
  for (const { reject, bytes } of state.waiting.takeAll()) {
    reject(failure)
    state.pending -= 1
    state.pendingBytes -= bytes
  }
}

function stopped(reason: string): Failure {
  const message = 'The event log has failed and takes nothing more until the service is restarted.'
  return new Failure('unavailable', message, { retryAfterSeconds: 1, cause: new Error(reason) })
}

function statisticsOf(batch: readonly Pending[], durationMs: number): CommitStatistics {
  let events = 0
  let bytes = 0
  for (const pending of batch) {
    events += pending.append.events.length
    bytes += pending.bytes
  }
  return { appends: batch.length, events, bytes, durationMs }
}

export interface Waiting {
  /** Whose it is; those without are one more. */
  readonly account: string | undefined
  /** Length of its text. */
  readonly bytes: number
}

interface BatchLimits {
  /** Appends and text of one batch; a single append may be larger. */
  readonly batchMax: number
  readonly batchBytesMax: number
}

export interface AppendLines<One extends Waiting> {
  readonly isEmpty: () => boolean
  /** Stands behind what waits for its account. */
  readonly add: (one: One) => void
  /**
   * Takes a batch: what an account has waiting in its order, and no account a second time before all others that fit. Whoever was taken
   * from last is taken from last by the next one.
   */
  readonly take: (limits: BatchLimits) => readonly One[]
  readonly takeAll: () => readonly One[]
}

interface Batch<One> {
  readonly taken: One[]
  bytes: number
}

/** Opens the lines. An account for which nothing waits takes no memory. */
export function appendLines<One extends Waiting>(): AppendLines<One> {
  /** Whose turn is next first. */
  const lines = new Map<string | undefined, Set<One>>()

  /** The first of each line that fits; whether there was one. */
  const takeRound = (batch: Batch<One>, limits: BatchLimits): boolean => {
    const before = batch.taken.length
    for (const [account, line] of [...lines]) {
      const [first] = line
      if (!first || !fits(batch, first, limits)) continue
      batch.taken.push(first)
      batch.bytes += first.bytes
      line.delete(first)
      lines.delete(account)
      if (line.size > 0) lines.set(account, line)
    }
    return batch.taken.length > before
  }

  return {
    isEmpty: () => lines.size === 0,
    add: (one) => {
      const line = lines.get(one.account)
      if (line) line.add(one)
      else lines.set(one.account, new Set([one]))
    },
    take: (limits) => {
      const batch: Batch<One> = { taken: [], bytes: 0 }
      while (takeRound(batch, limits));
      return batch.taken
    },
    takeAll: () => {
      const all = [...lines.values()].flatMap((line) => [...line])
      lines.clear()
      return all
    },
  }
}

function fits<One extends Waiting>(
  { taken, bytes }: Batch<One>,
  one: One,
  { batchMax, batchBytesMax }: BatchLimits,
): boolean {
  return taken.length === 0 || (taken.length < batchMax && bytes + one.bytes <= batchBytesMax)
}
