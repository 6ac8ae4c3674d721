/** Runs long work in slices, one job per account at a time; limits how many jobs wait. */

import { Failure } from '../failure.ts'

/** Jobs that run or wait, of one account and of all together. */
export const jobsOfAccountMax = 128
export const jobsMax = 512

/** How long a slice runs before it pauses. */
const sliceMs = 5

interface Jobs {
  last: Promise<unknown>
  count: number
}

const jobs = new Map<string, Jobs>()
let jobsOfAll = 0

/**
 * Runs the work after every earlier job of the account. Work must not start long work of its own account: it would wait for itself.
 * Throws `rate_limited` when too many jobs of the account wait, `unavailable` when too many of all accounts do.
 */
export async function runLongWork<Value>(
  account: string,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  const own = jobs.get(account) ?? { last: Promise.resolve(), count: 0 }
  if (own.count >= jobsOfAccountMax) throw buildRefusal('rate_limited', 'The account has')
  if (jobsOfAll >= jobsMax) throw buildRefusal('unavailable', 'The service has')
  jobs.set(account, own)
  own.count += 1
  jobsOfAll += 1
  const job = own.last.then(nextSlice).then(work)
  own.last = job.catch(() => undefined)
  try {
    return await job
  } finally {
    own.count -= 1
    jobsOfAll -= 1
    if (own.count === 0) jobs.delete(account)
  }
}

/** Iterations of the event loop between slices, and their duration at most: Node accepts one connection per iteration. */
const iterationsBetween = 16
const betweenMs = 20

/** Jobs whose next slice is due, the longest waiting first. */
const due: (() => void)[] = []
let sliceEndsMs = 0

/** Awaited between the steps of long work: a promise for the next slice when this one is over or none has begun. */
export function pauseLongWork(): Promise<void> | undefined {
  return performance.now() < sliceEndsMs ? undefined : nextSlice()
}

let atOnceMs = 0

/**
 * Runs work at once that may take long; undefined when it did not end in time, or when such work has used up a slice in this iteration
 * of the event loop. It must then be run as long work.
 */
export function tryWithinSlice<Value>(
  work: (untilMs: number) => Value | undefined,
): Value | undefined {
  if (atOnceMs >= sliceMs) return undefined
  if (atOnceMs === 0) setImmediate(beginIteration)
  const begunMs = performance.now()
  const value = work(begunMs + sliceMs - atOnceMs)
  atOnceMs += performance.now() - begunMs
  return value
}

function beginIteration(): void {
  atOnceMs = 0
}

function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    due.push(resolve)
    if (due.length === 1) yieldLoop()
  })
}

function yieldLoop(iterations = iterationsBetween, untilMs = performance.now() + betweenMs): void {
  setImmediate(() => {
    if (iterations > 1 && performance.now() < untilMs) yieldLoop(iterations - 1, untilMs)
    else beginSlice()
  })
}

function beginSlice(): void {
  const resume = due.shift()
  // one slice at a time, however many are due
  if (due.length > 0) yieldLoop()
  sliceEndsMs = performance.now() + sliceMs
  resume?.()
}

function buildRefusal(code: 'rate_limited' | 'unavailable', whose: string): Failure {
  const message = `${whose} too much long work under way; try again later.`
  return new Failure(code, message, { retryAfterSeconds: 1 })
}
