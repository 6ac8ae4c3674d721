/** The position of the last event on disk, in memory that every thread sees, with a way to wait for the next one. */

/** Longest wait before a waiter looks again by itself, should a wake-up be lost. */
const waitMaxMs = 1_000

export interface SharedHead {
  /** Can be handed to another thread; `sharedHead` makes the same head of it there. */
  readonly buffer: SharedArrayBuffer
  readonly position: () => number
  /** Called by the writer alone, after the commit. */
  readonly publish: (position: number) => void
  /** Settles when the head is beyond `position`, when `signal` is aborted, or after a second. */
  readonly change: (position: number, signal: AbortSignal) => Promise<void>
}

/** `Atomics.waitAsync` as of ES2024, which the library of the language version used here does not declare. */
interface AsyncAtomics {
  readonly waitAsync: (
    cells: BigInt64Array,
    index: number,
    value: bigint,
    timeoutMs: number,
  ) => { readonly value: Promise<string> | string }
}

const { waitAsync } = Atomics as unknown as AsyncAtomics

export function sharedHead(buffer = new SharedArrayBuffer(8)): SharedHead {
  const cells = new BigInt64Array(buffer)
  return {
    buffer,
    position: () => Number(Atomics.load(cells, 0)),
    publish: (position) => {
      Atomics.store(cells, 0, BigInt(position))
      Atomics.notify(cells, 0)
    },
    change: (position, signal) =>
      new Promise((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done)
          resolve()
        }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', done)
        const { value } = waitAsync(cells, 0, BigInt(position), waitMaxMs)
        void Promise.resolve(value).then(done)
      }),
  }
}
