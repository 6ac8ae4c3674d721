/** Counts workers that ended by themselves. */

import { Counter, type Registry } from 'prom-client'

export interface WorkerMeter {
  /** A worker ended without being told to, and another one takes its place. */
  readonly lost: () => void
}

/** Opens the meter in the registry. */
export function openWorkerMeter(registry: Registry): WorkerMeter {
  const lost = new Counter({
    name: 'vigil_workers_lost_total',
    help: 'Workers that ended by themselves and were replaced: what they were answering was broken off.',
    registers: [registry],
  })
  return { lost: () => lost.inc() }
}
