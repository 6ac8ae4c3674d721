/** Caches the most recently used values up to a byte limit, in total or for each account. */

import { LRUCache } from 'lru-cache'

/**
 * Caches at most `max`, the most recently used. A value counts for at most half of it, so that larger
 * values, which are expensive to compute, are cached too and leave half to the others.
 */
export function openWeighedCache<Value extends object>(max: number) {
  const maxSize = Math.min(Math.ceil(max), Number.MAX_SAFE_INTEGER)
  const cache = new LRUCache<string, Value>({ maxSize })
  return {
    get: (key: string): Value | undefined => cache.get(key),
    /** Caches the value as the most recently used; call again when its weight has changed. */
    set: (key: string, value: Value, weight: number): void => {
      // the same value set again would keep its former size
      cache.delete(key)
      cache.set(key, value, { size: Math.ceil(Math.min(Math.max(weight, 1), maxSize / 2)) })
    },
    isEmpty: (): boolean => cache.size === 0,
    clear: (): void => cache.clear(),
  }
}

export interface AccountCache<Value> {
  readonly get: (account: string, key: string) => Value | undefined
  readonly set: (account: string, key: string, value: Value) => void
}

/**
 * Caches at most `max` in total and half of it for one account. The least recently used is evicted: within an account a
 * value, among accounts all values of one. A value larger than half is not cached.
 */
export function openAccountCache<Value extends object>(
  max: number,
  sizeOf: (value: Value) => number,
): AccountCache<Value> {
  const accounts = new LRUCache<string, LRUCache<string, Value>>({ maxSize: max })
  return {
    get: (account, key) => accounts.get(account)?.get(key),
    set: (account, key, value) => {
      const own = accounts.get(account) ?? new LRUCache({ maxSize: Math.ceil(max / 2) })
      own.set(key, value, { size: Math.max(1, Math.ceil(sizeOf(value))) })
      // the same value set again would keep its former size
      accounts.delete(account)
      if (own.size > 0) accounts.set(account, own, { size: own.calculatedSize })
    },
  }
}
