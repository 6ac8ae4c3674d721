/** How many sealing keys an instance holds. */

/** Enough for the busiest: every one more is used less often than those before. */
const most = 65_536

/** The part of the heap that they may take, and what one takes with its subject and its secret. */
const part = 1 / 24
const keyBytes = 600

/** As many as a part of a heap of so many bytes takes: persons come and go, and their keys are read again when they are needed. */
export function heldKeysMax(heapBytes: number): number {
  return Math.min(most, Math.floor((heapBytes * part) / keyBytes))
}
