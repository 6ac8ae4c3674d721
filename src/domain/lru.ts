/** A bounded map that forgets what was not asked for longest. */
export interface Lru<Key, Value> {
  readonly get: (key: Key) => Value | undefined
  readonly set: (key: Key, value: Value) => void
  readonly delete: (key: Key) => void
}

/** A map of at most `max` entries. */
export function lru<Key, Value>(max: number): Lru<Key, Value> {
  const entries = new Map<Key, Value>()

  return {
    get: (key) => {
      const value = entries.get(key)
      if (value !== undefined) {
        entries.delete(key)
        entries.set(key, value)
      }
      return value
    },
    set: (key, value) => {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > max) dropOldest(entries)
    },
    delete: (key) => {
      entries.delete(key)
    },
  }
}

function dropOldest<Key>(entries: Map<Key, unknown>): void {
  for (const key of entries.keys()) {
    entries.delete(key)
    return
  }
}
