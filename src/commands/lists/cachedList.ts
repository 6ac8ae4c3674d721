/** Caches the values of one list as 64 bits of each digest, and the sizes of its networks. */

import type { NetworkSize } from '../../events/lists/listEntry.ts'

/** The digest of a value, for a network with its size. */
export interface CachedValue {
  /** Its first 64 bits, in 11 characters of base64url, or all of it. */
  readonly subject: string
  readonly network?: NetworkSize | undefined
}

export interface CachedList extends Pick<DigestPrefixSet, 'size' | 'bytes'> {
  readonly has: (subject: string) => boolean
  readonly add: (value: CachedValue) => void
  readonly delete: (value: CachedValue) => void
  /** The sizes of the networks on the list, each once. */
  readonly networks: () => readonly NetworkSize[]
}

/** An empty list. */
export function createCachedList(): CachedList {
  const { size, bytes, has, add, delete: remove } = createPrefixSet()
  const networks = new Map<string, NetworkSize & { readonly count: number }>()

  const count = (network: NetworkSize | undefined, by: number): void => {
    if (!network) return
    const { version, prefix } = network
    const name = `${version} ${prefix}`
    const sum = (networks.get(name)?.count ?? 0) + by
    if (sum > 0) networks.set(name, { version, prefix, count: sum })
    else networks.delete(name)
  }

  return {
    size,
    bytes,
    has: (subject) => has(keyOf(subject)),
    add: ({ subject, network }) => {
      if (add(keyOf(subject))) count(network, 1)
    },
    delete: ({ subject, network }) => {
      if (remove(keyOf(subject))) count(network, -1)
    },
    networks: () => [...networks.values()],
  }
}

const keyBytes = Buffer.alloc(8)

/** The first 64 bits of a digest in base64url. */
function keyOf(digest: string): DigestPrefix {
  // reused memory: one query computes hundreds of keys
  if (keyBytes.write(digest, 'base64url') < keyBytes.length) throw new Error('not a digest')
  return [keyBytes.readUInt32LE(0), keyBytes.readUInt32LE(4)]
}

/** Two unsigned 32-bit numbers of a digest. */
export type DigestPrefix = readonly [high: number, low: number]

export interface DigestPrefixSet {
  readonly has: (key: DigestPrefix) => boolean
  /** Returns false when the set had the key already. */
  readonly add: (key: DigestPrefix) => boolean
  /** Returns false when the set did not have the key. */
  readonly delete: (key: DigestPrefix) => boolean
  readonly size: () => number
  readonly bytes: () => number
}

/** The part of the cells that may be used. */
const fillMax = 3 / 4
const cellsAtFirst = 16
/** Marks a free cell. */
const free: DigestPrefix = [0, 0]

/** An empty set of keys in cells of 64 bits, whose count is a power of two: a key is in the first free cell from its own on. */
export function createPrefixSet(): DigestPrefixSet {
  let cells = new Uint32Array(2 * cellsAtFirst)
  let size = 0

  const keyIn = (cell: number): DigestPrefix => [cells[2 * cell] ?? 0, cells[2 * cell + 1] ?? 0]
  const isFree = (cell: number): boolean => cells[2 * cell] === 0 && cells[2 * cell + 1] === 0
  const next = (cell: number): number => (cell + 1) & (cells.length / 2 - 1)
  /** The cell with the key, or the free one where it belongs. */
  const cellOf = ([high, low]: DigestPrefix): number => {
    let cell = low & (cells.length / 2 - 1)
    while (!isFree(cell) && (cells[2 * cell] !== high || cells[2 * cell + 1] !== low)) {
      cell = next(cell)
    }
    return cell
  }
  const put = (cell: number, [high, low]: DigestPrefix): void => {
    cells[2 * cell] = high
    cells[2 * cell + 1] = low
  }
  const grow = (): void => {
    const full = cells
    cells = new Uint32Array(2 * full.length)
    for (let at = 0; at < full.length; at += 2) {
      const [high, low] = [full[at] ?? 0, full[at + 1] ?? 0]
      if (high !== 0 || low !== 0) put(cellOf([high, low]), [high, low])
    }
  }

  return {
    has: (key) => !isFree(cellOf(stored(key))),
    add: (given) => {
      const key = stored(given)
      if (!isFree(cellOf(key))) return false
      if (size + 1 > (cells.length / 2) * fillMax) grow()
      put(cellOf(key), key)
      size += 1
      return true
    },
    delete: (key) => {
      const freed = cellOf(stored(key))
      if (isFree(freed)) return false
      put(freed, free)
      size -= 1
      // the keys behind it are put where they are found now
      for (let cell = next(freed); !isFree(cell); cell = next(cell)) {
        const moved = keyIn(cell)
        put(cell, free)
        put(cellOf(moved), moved)
      }
      return true
    },
    size: () => size,
    bytes: () => cells.byteLength,
  }
}

/** The key zero, which marks a free cell, is stored as its neighbour. */
function stored([high, low]: DigestPrefix): DigestPrefix {
  return high === 0 && low === 0 ? [0, 1] : [high, low]
}
