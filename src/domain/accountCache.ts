/** A cache of each account in a cache of accounts, so that none pushes out what belongs to another by asking for much. */

import { LRUCache } from 'lru-cache'

export interface AccountCache<Value> {
  readonly get: (account: string, key: string) => Value | undefined
  readonly set: (account: string, key: string, value: Value) => void
}

/**
 * Holds values of at most `max` together, of one account at most half of it; whoever has not been asked for longest goes first: in an
 * account a value, of the accounts one with all it has. A value that is larger than half is not kept.
 */
export function accountCache<Value extends object>(
  max: number,
  sizeOf: (value: Value) => number,
): AccountCache<Value> {
  const accounts = new LRUCache<string, LRUCache<string, Value>>({ maxSize: max })
  return {
    get: (account, key) => accounts.get(account)?.get(key),
    set: (account, key, value) => {
      const own =
        accounts.get(account) ?? new LRUCache<string, Value>({ maxSize: Math.ceil(max / 2) })
      own.set(key, value, { size: Math.max(1, Math.ceil(sizeOf(value))) })
      // set again as it is, it would keep the size that it had
      accounts.delete(account)
      if (own.size > 0) accounts.set(account, own, { size: own.calculatedSize })
    },
  }
}
