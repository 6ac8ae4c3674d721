/** Computes how many sealing keys an instance caches, from the size of its heap. */

/** Enough for the busiest: every one more is used less often than those before. */
const most = 65_536

/** The part of the heap that they may take, and what one takes with its subject and its secret. */
const part = 1 / 24
const keyBytes = 600

/**
 * As many keys as fit into a share of a heap of so many bytes. An evicted key is read again to open its data, but new data of its person
 * are sealed under another one: where more persons are active than are cached, more keys are made.
 */
export function cachedKeysMax(heapBytes: number): number {
  return Math.min(most, Math.floor((heapBytes * part) / keyBytes))
}
