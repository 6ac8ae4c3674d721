/** Counts the sealing keys that were needed and could not be had, though nobody has destroyed them. */

import { Counter, type Registry } from 'prom-client'

const reasons = ['missing', 'damaged'] as const

export type KeyMeter = (reason: (typeof reasons)[number]) => void

/** Opens the meter in the registry. */
export function openKeyMeter(registry: Registry): KeyMeter {
  const unreadable = new Counter({
    name: 'vigil_sealing_keys_unreadable_total',
    help: 'Keys that a record needed and that are lost or damaged; one that was destroyed does not count.',
    labelNames: ['reason'],
    registers: [registry],
  })
  // so that the first one is an increase
  for (const reason of reasons) unreadable.inc({ reason }, 0)
  return (reason) => unreadable.inc({ reason })
}
