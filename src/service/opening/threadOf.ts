/** A worker, as those see it who talk with it. */

import type { Worker } from 'node:worker_threads'
import type { Line } from '../../projections/running/projectionMessages.ts'
import { endThread } from '../../stores/embedded/threadGate.ts'

/** The worker as the line to it, whose messages are what its module says they are. */
export function threadOf<Sent, Received>(worker: Worker) {
  const line: Line<Sent, Received> = worker
  return {
    postMessage: (message: Sent) => line.postMessage(message),
    on: (event: 'message', listener: (message: Received) => void) => line.on(event, listener),
    /** Called once, when the thread has ended, with why if it did not mean to. */
    onEnd: (listener: (error?: unknown) => void) => {
      worker.once('error', listener)
      worker.once('exit', () => listener())
    },
    terminate: () => endThread(worker),
  }
}
