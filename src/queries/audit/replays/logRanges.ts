/** Divides a log into ranges that several threads replay in parallel. */

import { batchMax } from '../../../stores/embedded/logReader.ts'

export interface LogRange {
  /** The position before the first event. */
  readonly after: number
  /** The position of the last event. */
  readonly end: number
}

/** A thread is given so many, where the log is long enough: while it is at its last one, the others are without work. */
const rangesOfThread = 32
/** Whole batches, so that none is read twice, and not so many that one does not see how far it is. */
const batchesMax = 10

/** Positions of a range, when so many threads share so many positions. */
export function rangeSize(positions: number, threads: number): number {
  const batches = Math.floor(positions / (threads * rangesOfThread) / batchMax)
  return Math.max(1, Math.min(batchesMax, batches)) * batchMax
}

/** The ranges of that size, in order. */
export function logRanges({ after, end }: LogRange, size: number): LogRange[] {
  return Array.from({ length: Math.max(0, Math.ceil((end - after) / size)) }, (_, index) => ({
    after: after + index * size,
    end: Math.min(end, after + (index + 1) * size),
  }))
}
