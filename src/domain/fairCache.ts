/** A cache that many owners share: when it is full, whoever holds most gives something up. */

import { type WeightedLru, weightedLru } from './weightedLru.ts'

export interface FairCache<Value> {
  readonly get: (owner: string, key: string) => Value | undefined
  readonly set: (owner: string, key: string, value: Value) => void
  readonly delete: (owner: string, key: string) => void
  /** Of all values together. */
  readonly weight: () => number
}

/**
 * A cache whose values weigh at most `max` together. So no owner pushes out what belongs to one that holds less, however much it asks
 * for; alone it may use all of it. A value that weighs more than `max` is not kept.
 */
export function fairCache<Value>(
  max: number,
  weightOf: (value: Value) => number,
): FairCache<Value> {
  const owners = new Map<string, WeightedLru<string, Value>>()
  let weight = 0

  const change = (owner: string, held: WeightedLru<string, Value>, act: () => void): void => {
    const before = held.weight()
    act()
    weight += held.weight() - before
    if (held.weight() > 0) owners.set(owner, held)
    else owners.delete(owner)
  }

  return {
    get: (owner, key) => owners.get(owner)?.get(key),
    set: (owner, key, value) => {
      const own = owners.get(owner) ?? weightedLru<string, Value>(max, weightOf)
      change(owner, own, () => own.set(key, value))
      while (weight > max) {
        const [largest, held] = heaviest(owners)
        change(largest, held, held.dropOldest)
      }
    },
    delete: (owner, key) => {
      const held = owners.get(owner)
      if (held) change(owner, held, () => held.delete(key))
    },
    weight: () => weight,
  }
}

type Owned<Value> = readonly [string, WeightedLru<string, Value>]

/** There is one: more than nothing is held. */
function heaviest<Value>(owners: ReadonlyMap<string, WeightedLru<string, Value>>): Owned<Value> {
  let most: Owned<Value> | undefined
  for (const one of owners) if (!most || one[1].weight() > most[1].weight()) most = one
  if (!most) throw new Error('a cache that is too heavy and holds nothing')
  return most
}
