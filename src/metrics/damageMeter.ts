/** Counts reads that fail because a store is damaged (`vigil_store_damaged_total`). */

import { Counter, type Registry } from 'prom-client'

const damagedStores = ['events', 'documents', 'keys'] as const

export type DamagedStore = (typeof damagedStores)[number]

/** Counts one question to the store that met a damage. */
export type DamageMeter = (store: DamagedStore) => void

/** Opens the meter in the registry. */
export function openDamageMeter(registry: Registry): DamageMeter {
  const damaged = new Counter({
    name: 'vigil_store_damaged_total',
    help: 'Questions to a store that could not be answered because it is damaged.',
    labelNames: ['store'],
    registers: [registry],
  })
  // so that the first one is an increase
  for (const store of damagedStores) damaged.inc({ store }, 0)
  return (store) => damaged.inc({ store })
}
