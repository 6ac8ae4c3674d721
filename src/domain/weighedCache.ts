/** What is held by about how much memory it takes. */

import { LRUCache } from 'lru-cache'

export interface WeighedCache<Value> {
  readonly get: (key: string) => Value | undefined
  /** Holds it, as the one used last; to be said again when its weight has changed. */
  readonly set: (key: string, value: Value, weight: number) => void
  readonly isEmpty: () => boolean
  readonly clear: () => void
}

/**
 * Holds at most `max`, the last used. One value counts for at most half of it: it is held whatever it weighs, since it would have to be
 * made anew for every use, and leaves half to the others.
 */
export function weighedCache<Value extends object>(max: number): WeighedCache<Value> {
  const maxSize = Math.min(Math.ceil(max), Number.MAX_SAFE_INTEGER)
  const held = new LRUCache<string, Value>({ maxSize })
  return {
    get: (key) => held.get(key),
    set: (key, value, weight) => {
      // the same value set again would keep the size that it had
      held.delete(key)
      held.set(key, value, { size: Math.ceil(Math.min(Math.max(weight, 1), maxSize / 2)) })
    },
    isEmpty: () => held.size === 0,
    clear: () => held.clear(),
  }
}
