/** Runs long work in slices, one job per account at a time; limits how many jobs wait. */

import { Failure } from '../failure.ts'
import { openSlotPool, runInSlot, type SlotPool } from './slotPool.ts'
import type { Steps } from './steps.ts'

/** Jobs of one account that run or wait, and jobs of all accounts that wait. */
export const jobsOfAccountMax = 128
export const waitingJobsMax = 512

/** How long a slice runs before it pauses. */
const sliceMs = 5

/** The state of the long work of one event loop. */
export interface Scheduler {
  /** One for each account. */
  readonly slots: SlotPool
  /** Slices that are due, the longest waiting first. */
  readonly due: (() => void)[]
  sliceEndsMs: number
  /** Time that work begun at once has used in this iteration of the event loop. */
  atOnceMs: number
}

/** What running long work takes of a context. */
export interface LoadContext {
  readonly scheduler: Scheduler
}

/** Opens the scheduler of an event loop. */
export function openScheduler(): Scheduler {
  const slots = openSlotPool({
    share: 1,
    waitingMax: waitingJobsMax,
    waitingShare: jobsOfAccountMax - 1,
  })
  return { slots, due: [], sliceEndsMs: 0, atOnceMs: 0 }
}

/**
 * Runs the work after every earlier job of the account. Work must not start long work of its own account: it would wait
 * for itself. Throws `rate_limited` when too many jobs of the account wait, `unavailable` when too many of all accounts
 * do.
 */
export function longWork<Value>(
  { scheduler }: LoadContext,
  account: string,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  return runInSlot(scheduler.slots, {
    key: account,
    work: () => nextSlice(scheduler).then(work),
    refusal: (why) =>
      why === 'account'
        ? buildRefusal('rate_limited', 'The account has')
        : buildRefusal('unavailable', 'The service has'),
  })
}

/**
 * Drives the steps, with a pause wherever a slice is over. Within a job, or where no account can ask for much of it.
 */
export async function runInSlices<Value>(
  { scheduler }: LoadContext,
  steps: Steps<Value>,
): Promise<Value> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (isSliceOver(scheduler)) await nextSlice(scheduler)
  }
}

/**
 * Drives the steps at once while a slice lasts that such work shares in this iteration of the event loop; what is left
 * is a job.
 */
export function runSoon<Value>(
  context: LoadContext,
  account: string,
  steps: Steps<Value>,
): Value | Promise<Value> {
  const { scheduler } = context
  if (scheduler.atOnceMs < sliceMs) {
    if (scheduler.atOnceMs === 0) setImmediate(beginIteration, scheduler)
    const begunMs = performance.now()
    const untilMs = begunMs + sliceMs - scheduler.atOnceMs
    let step: IteratorResult<void, Value>
    do step = steps.next()
    while (!step.done && !(performance.now() > untilMs))
    scheduler.atOnceMs += performance.now() - begunMs
    if (step.done) return step.value
  }
  const job = longWork(context, account, () => runInSlices(context, steps))
  // steps of a job that was refused are given up, so that they leave nothing behind
  return job.finally(() => steps.return(undefined as never))
}

function beginIteration(scheduler: Scheduler): void {
  scheduler.atOnceMs = 0
}

/**
 * Awaited by long work that waits for other things between its steps: a promise for the next slice when this one is
 * over.
 */
export function pauseLongWork({ scheduler }: LoadContext): Promise<void> | undefined {
  return isSliceOver(scheduler) ? nextSlice(scheduler) : undefined
}

function isSliceOver({ sliceEndsMs }: Scheduler): boolean {
  return !(performance.now() < sliceEndsMs)
}

/**
 * Iterations of the event loop between slices, and their duration at most: Node accepts one connection per iteration.
 */
const iterationsBetween = 16
const betweenMs = 20

function nextSlice(scheduler: Scheduler): Promise<void> {
  return new Promise((resolve) => {
    scheduler.due.push(resolve)
    if (scheduler.due.length === 1) yieldLoop(scheduler)
  })
}

function yieldLoop(
  scheduler: Scheduler,
  iterations = iterationsBetween,
  untilMs = performance.now() + betweenMs,
): void {
  setImmediate(() => {
    if (iterations > 1 && performance.now() < untilMs) {
      yieldLoop(scheduler, iterations - 1, untilMs)
    } else beginSlice(scheduler)
  })
}

function beginSlice(scheduler: Scheduler): void {
  const resume = scheduler.due.shift()
  // one slice at a time, however many are due
  if (scheduler.due.length > 0) yieldLoop(scheduler)
  scheduler.sliceEndsMs = performance.now() + sliceMs
  resume?.()
}

function buildRefusal(code: 'rate_limited' | 'unavailable', whose: string): Failure {
  const message = `${whose} too much long work under way; try again later.`
  return new Failure(code, message, { retryAfterSeconds: 1 })
}
