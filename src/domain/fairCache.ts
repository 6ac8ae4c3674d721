/** A cache that many owners share: when it is full, whoever holds most gives something up. */

import { keyedHeap } from './keyedHeap.ts'
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
  const owners = new Map<string, Owned<Value>>()
  const byWeight = keyedHeap<string, Rank>(isHeavier)
  let weight = 0
  let entries = 0

  const enter = (): Owned<Value> => {
    entries += 1
    return { held: weightedLru<string, Value>(max, weightOf), entered: entries }
  }
  const change = (owner: string, owned: Owned<Value>, act: () => void): void => {
    const { held, entered } = owned
    const before = held.weight()
    act()
    const after = held.weight()
    weight += after - before
    if (after === 0) {
      owners.delete(owner)
      byWeight.delete(owner)
    } else if (after !== before) {
      owners.set(owner, owned)
      byWeight.set(owner, { weight: after, entered })
    }
  }
  const dropFromHeaviest = (): void => {
    const owner = byWeight.first() ?? ''
    const owned = owners.get(owner)
    if (!owned) throw new Error('a cache that is too heavy and holds nothing')
    change(owner, owned, owned.held.dropOldest)
  }

  return {
    get: (owner, key) => owners.get(owner)?.held.get(key),
    set: (owner, key, value) => {
      const owned = owners.get(owner) ?? enter()
      change(owner, owned, () => owned.held.set(key, value))
      while (weight > max) dropFromHeaviest()
    },
    delete: (owner, key) => {
      const owned = owners.get(owner)
      if (owned) change(owner, owned, () => owned.held.delete(key))
    },
    weight: () => weight,
  }
}

interface Owned<Value> {
  readonly held: WeightedLru<string, Value>
  /** Its number among all owners, in the order in which they came. */
  readonly entered: number
}

type Rank = Pick<Owned<unknown>, 'entered'> & { readonly weight: number }

/** Of those that hold as much, whoever came first gives up. */
function isHeavier(one: Rank, other: Rank): boolean {
  return one.weight > other.weight || (one.weight === other.weight && one.entered < other.entered)
}
