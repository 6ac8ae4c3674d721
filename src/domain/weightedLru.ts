/** A map bounded by what its values weigh: it forgets what was not asked for longest. */

export interface WeightedLru<Key, Value> {
  readonly get: (key: Key) => Value | undefined
  readonly set: (key: Key, value: Value) => void
  readonly delete: (key: Key) => void
  /** Forgets the value that was not asked for longest. */
  readonly dropOldest: () => void
  /** Of all values together. */
  readonly weight: () => number
}

/** A map whose values weigh at most `max` together. A value that alone weighs more is not kept. */
export function weightedLru<Key, Value>(
  max: number,
  weightOf: (value: Value) => number,
): WeightedLru<Key, Value> {
  // in the order of use: a Map keeps the order in which its keys were set
  const held = new Map<Key, { readonly value: Value; readonly weight: number }>()
  let weight = 0
  /** The key used last, as long as it is held. */
  let newest: { readonly key: Key } | undefined

  const remove = (key: Key): void => {
    weight -= held.get(key)?.weight ?? 0
    held.delete(key)
    if (newest?.key === key) newest = undefined
  }
  const dropOldest = (): void => {
    for (const key of held.keys()) {
      remove(key)
      return
    }
  }

  return {
    get: (key) => {
      const entry = held.get(key)
      if (!entry) return undefined
      // what is asked for again and again stands where it belongs
      if (newest?.key !== key) {
        held.delete(key)
        held.set(key, entry)
        newest = { key }
      }
      return entry.value
    },
    set: (key, value) => {
      remove(key)
      const own = weightOf(value)
      if (own > max) return
      held.set(key, { value, weight: own })
      newest = { key }
      weight += own
      while (weight > max) dropOldest()
    },
    delete: remove,
    dropOldest,
    weight: () => weight,
  }
}
