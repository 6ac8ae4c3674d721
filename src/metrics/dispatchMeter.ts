/** Counts dispatches of front ends by outcome (`vigil_dispatches_total`). */

import { Counter, type Registry } from 'prom-client'

/** What became of a dispatch: see the guide of operations. */
const dispatchOutcomes = [
  'recorded',
  'repeated',
  'conflict',
  'invalid',
  'refused_key',
  'rate_limited',
  'failed',
] as const

export type DispatchOutcome = (typeof dispatchOutcomes)[number]

/** Told of every dispatch that front ends send, once. */
export type DispatchMeter = (outcome: DispatchOutcome) => void

/** Opens the meter in the registry. */
export function openDispatchMeter(registry: Registry): DispatchMeter {
  const dispatches = new Counter({
    name: 'vigil_dispatches_total',
    help: 'Dispatches that front ends have sent.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of dispatchOutcomes) dispatches.inc({ outcome }, 0)
  return (outcome) => dispatches.inc({ outcome })
}
