/** Starts a thread of this program, built or from source. */

import { type TransferListItem, Worker } from 'node:worker_threads'
import { gatedThread } from './threadGate.ts'

/**
 * Runs the module at `module` in a thread of its own, with `workerData` for it; what is in `transferList` it takes over. By force only `endThread`
 * ends it.
 */
export function startThread(
  module: URL,
  workerData: unknown,
  transferList: TransferListItem[] = [],
): Worker {
  // what a thread has opened when it ends is not closed under others: closing any handle of a database takes the locks of all
  const options = { workerData, transferList, trackUnmanagedFds: false }
  if (!module.pathname.endsWith('.ts')) return gatedThread(() => new Worker(module, options))
  // From source, a thread on Node 20 does not inherit the loader of its parent and has to register it first.
  const load = `import('tsx/esm/api').then(({ register }) => {
    register()
    return import(${JSON.stringify(module.href)})
  })`
  return gatedThread(() => new Worker(load, { ...options, eval: true }))
}
