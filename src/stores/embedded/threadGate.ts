/**
 * Ends a thread by force, and never in the middle of a call of SQLite, which would end the whole process.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { getEnvironmentData, setEnvironmentData, type Worker } from 'node:worker_threads'

/** Cells of a gate: whether its thread is in such a call, and whether it is to enter none any more. */
const within = 0
const closed = 1

/** Under what a thread finds its own gate. */
const name = 'vigil sqlite gate'
/** Between two looks whether a call has come to its end. */
const lookMs = 2
/** A call that takes longer is waiting for a disk that may never answer: ending the thread waits for it as well. */
const callMaxMs = 30_000

const gates = new WeakMap<Worker, Int32Array>()

/** The thread that `start` starts, with a gate. */
export function gatedThread(start: () => Worker): Worker {
  const gate = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  // a thread that starts another one has its own there
  const own = getEnvironmentData(name)
  setEnvironmentData(name, gate)
  try {
    const thread = start()
    gates.set(thread, gate)
    return thread
  } finally {
    setEnvironmentData(name, own)
  }
}

/** Ends the thread: it enters no call of SQLite any more, and the one that it is in comes to its end first. Settles when it has ended. */
export async function endThread(thread: Worker): Promise<void> {
  const gate = gates.get(thread)
  if (gate) {
    Atomics.store(gate, closed, 1)
    const until = performance.now() + callMaxMs
    while (Atomics.load(gate, within) === 1 && performance.now() < until) await pause(lookMs)
  }
  await thread.terminate()
}

/** What this thread has to make its calls of SQLite through, if it was started with a gate. */
export function gateOfThread(): (<Value>(call: () => Value) => Value) | undefined {
  const gate = getEnvironmentData(name)
  if (!(gate instanceof Int32Array)) return undefined
  return (call) => {
    // first said, then looked: who ends the thread does it the other way round, so that one of them sees the other
    Atomics.store(gate, within, 1)
    if (Atomics.load(gate, closed) === 1) {
      Atomics.store(gate, within, 0)
      Atomics.wait(gate, closed, 1)
    }
    try {
      return call()
    } finally {
      Atomics.store(gate, within, 0)
    }
  }
}
