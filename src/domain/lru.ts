/** A bounded map that forgets what was not asked for longest. */
export interface Lru<Key, Value> {
  readonly get: (key: Key) => Value | undefined
  readonly set: (key: Key, value: Value) => void
  readonly delete: (key: Key) => void
}

/** An entry between its neighbours in the order of use; the end of the order is an entry of its own without a value. */
interface Link<Key, Value> {
  readonly key: Key
  value: Value
  older: Link<Key, Value>
  newer: Link<Key, Value>
}

/** A map of at most `max` entries. Asking costs one look-up: the order is kept by links, not by the map. */
export function lru<Key, Value>(max: number): Lru<Key, Value> {
  const links = new Map<Key, Link<Key, Value>>()
  const end = ring<Key, Value>()

  const remove = (link: Link<Key, Value>): void => {
    links.delete(link.key)
    unlink(link)
  }

  return {
    get: (key) => {
      const link = links.get(key)
      if (!link) return undefined
      if (link !== end.older) {
        unlink(link)
        linkBefore(end, link)
      }
      return link.value
    },
    set: (key, value) => {
      const known = links.get(key)
      if (known) remove(known)
      const link = { key, value, older: end, newer: end }
      links.set(key, link)
      linkBefore(end, link)
      if (links.size > max) remove(end.newer)
    },
    delete: (key) => {
      const link = links.get(key)
      if (link) remove(link)
    },
  }
}

/** An empty order: its `older` is the newest entry, its `newer` the oldest. */
function ring<Key, Value>(): Link<Key, Value> {
  const end = {} as Link<Key, Value>
  end.older = end
  end.newer = end
  return end
}

function unlink<Key, Value>({ older, newer }: Link<Key, Value>): void {
  older.newer = newer
  newer.older = older
}

function linkBefore<Key, Value>(end: Link<Key, Value>, link: Link<Key, Value>): void {
  link.older = end.older
  link.newer = end
  end.older.newer = link
  end.older = link
}
