/** Computes how many sealing keys an instance caches, from the size of its heap. */

/** Enough for the busiest: every one more is used less often than those before. */
const most = 65_536

/** The part of the heap that they may take, and what one takes with its subject and its secret. */
const part = 1 / 24
const keyBytes = 600

/**
 * As many as a part of a heap of so many bytes takes. What a key that is held no more has sealed is opened by reading it again; new data of
 * its person are sealed under another one, so that where more persons come and go than are held, more keys are made.
 */
export function cachedKeysMax(heapBytes: number): number {
  return Math.min(most, Math.floor((heapBytes * part) / keyBytes))
}
