/** A map bounded by the weight of what it holds, in which what is large does not push out what is small. */

export interface HeldByWeight<Key, Value> {
  readonly get: (key: Key) => Value | undefined
  /** Holds it, as the one used last; to be said again when its weight has changed. */
  readonly set: (key: Key, value: Value, weight: number) => void
  readonly delete: (key: Key) => void
  readonly clear: () => void
  /** Of all that is held. */
  readonly weight: () => number
}

/** What weighs more than this part of the whole is large. */
const largePart = 1 / 16

/**
 * Holds at most `max`: half of it for what is large, half for all else; in each half the last used stays. One that is larger than its
 * half is held alone there, since it would have to be made anew for every use.
 */
export function heldByWeight<Key, Value>(max: number): HeldByWeight<Key, Value> {
  const small = half<Key, Value>(max / 2)
  const large = half<Key, Value>(max / 2)
  return {
    get: (key) => small.get(key) ?? large.get(key),
    set: (key, value, weight) => {
      const [own, other] = weight > max * largePart ? [large, small] : [small, large]
      other.delete(key)
      own.set(key, value, weight)
    },
    delete: (key) => {
      small.delete(key)
      large.delete(key)
    },
    clear: () => {
      small.clear()
      large.clear()
    },
    weight: () => small.weight() + large.weight(),
  }
}

/** In the order of use, which is that of the map. */
function half<Key, Value>(max: number): HeldByWeight<Key, Value> {
  const items = new Map<Key, { readonly value: Value; readonly weight: number }>()
  let total = 0
  /** The key used last, as long as it is held. */
  let newest: { readonly key: Key } | undefined

  const remove = (key: Key): void => {
    total -= items.get(key)?.weight ?? 0
    items.delete(key)
    if (newest?.key === key) newest = undefined
  }

  return {
    get: (key) => {
      const item = items.get(key)
      if (!item) return undefined
      // what is asked for again and again stands where it belongs
      if (newest?.key !== key) {
        items.delete(key)
        items.set(key, item)
        newest = { key }
      }
      return item.value
    },
    set: (key, value, weight) => {
      remove(key)
      items.set(key, { value, weight })
      newest = { key }
      total += weight
      for (const oldest of items.keys()) {
        if (total <= max || items.size === 1) return
        remove(oldest)
      }
    },
    delete: remove,
    clear: () => {
      items.clear()
      total = 0
      newest = undefined
    },
    weight: () => total,
  }
}
