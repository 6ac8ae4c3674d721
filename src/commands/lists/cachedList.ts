/** Caches one list: 64 bits of each value's digest, and the sizes of its networks. */

import { endedKeptMs } from '../../domain/lists/lists.ts'
import type { NetworkSize } from '../../events/lists/listEntry.ts'

/** The digest of a value, for a network with its size. */
export interface CachedValue {
  /** Its first 64 bits, in 11 characters of base64url, or all of it. */
  readonly subject: string
  readonly network?: NetworkSize | undefined
  /** In milliseconds since the Unix epoch; undefined for one that stays. */
  readonly expiresAtMs?: number | undefined
}

export interface CachedList extends Pick<KeySet, 'bytes'> {
  /**
   * How many values it has at a time, in milliseconds since the Unix epoch. Where it is fewer than `enough` anyhow, what expired may be
   * counted.
   */
  readonly size: (timeMs: number, enough: number) => number
  readonly has: (subject: string) => boolean
  readonly add: (value: CachedValue) => void
  readonly delete: (value: CachedValue) => void
  /** The sizes of the networks that it holds, each once. */
  readonly networks: () => readonly NetworkSize[]
}

/** The list, empty. `timeMs` is now, in milliseconds since the Unix epoch. */
export function cachedList(timeMs: () => number): CachedList {
  const keys = keySet(() => Math.floor((timeMs() - endedKeptMs) / 1_000))
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
    size: (atMs, enough) => {
      const most = keys.size()
      return most < enough ? most : most - keys.ended(Math.floor(atMs / 1_000))
    },
    bytes: keys.bytes,
    has: (subject) => keys.has(keyOf(subject)),
    add: ({ subject, network, expiresAtMs = 0 }) => {
      const key = keyOf(subject)
      if (!keys.has(key)) count(network, 1)
      keys.add(key, Math.ceil(expiresAtMs / 1_000))
    },
    delete: ({ subject, network }) => {
      const key = keyOf(subject)
      if (!keys.has(key)) return
      keys.delete(key)
      count(network, -1)
    },
    networks: () => [...networks.values()],
  }
}

const keyBytes = Buffer.alloc(8)

/** The first 64 bits of a digest in base64url. */
function keyOf(digest: string): Key {
  // reused memory: one query computes hundreds of keys
  if (keyBytes.write(digest, 'base64url') < keyBytes.length) throw new Error('not a digest')
  return [keyBytes.readUInt32LE(0), keyBytes.readUInt32LE(4)]
}

const noEnds = new Uint32Array(0)

export interface KeySet {
  readonly has: (key: Key) => boolean
  /** Adds the key or changes its end: the second since the Unix epoch from which it does not count; 0 for none. */
  readonly add: (key: Key, end?: number) => void
  readonly delete: (key: Key) => void
  /** All keys, expired ones included. */
  readonly size: () => number
  /** Keys expired by a second; may be some seconds old, since counting visits every key. */
  readonly ended: (second: number) => number
  readonly bytes: () => number
}

/** The part of the cells that may be used. */
const fillMax = 3 / 4
const cellsAtFirst = 16
const endMax = 0xff_ff_ff_ff

/** An empty set. Keys that ended before the second `forgettable` are removed when the table is full. */
export function keySet(forgettable: () => number = () => 0): KeySet {
  let cells = keyCells(cellsAtFirst)
  let size = 0
  const ends = openEnds(() => cells.ends())

  const resize = (): void => {
    const isRetained = retainedAfter(forgettable())
    size = sizeOf(cells, isRetained)
    const isFull = size > (cells.count * fillMax) / 2
    cells = resized(cells, isFull ? 2 * cells.count : cells.count, isRetained)
    ends.recount()
  }

  return {
    has: (key) => !cells.isFree(cells.cellOf(stored(key))),
    add: (given, end = 0) => {
      const key = stored(given)
      if (cells.isFree(cells.cellOf(key))) {
        if (size + 1 > cells.count * fillMax) resize()
        size += 1
      }
      const cell = cells.cellOf(key)
      ends.note(cells.endIn(cell), -1)
      cells.put(cell, key, Math.min(end, endMax))
      ends.note(cells.endIn(cell), 1)
    },
    delete: (key) => {
      const cell = cells.cellOf(stored(key))
      if (cells.isFree(cell)) return
      size -= 1
      ends.note(cells.endIn(cell), -1)
      cells.free(cell)
    },
    size: () => size,
    ended: ends.before,
    bytes: () => cells.bytes(),
  }
}

type IsRetained = (cells: KeyCells, cell: number) => boolean

function retainedAfter(second: number): IsRetained {
  return (cells, cell) => {
    const end = cells.endIn(cell)
    return !cells.isFree(cell) && (end === 0 || end > second)
  }
}

function sizeOf(cells: KeyCells, isRetained: IsRetained): number {
  let size = 0
  for (let cell = 0; cell < cells.count; cell += 1) if (isRetained(cells, cell)) size += 1
  return size
}

/** A table of `count` cells with the retained keys. */
function resized(from: KeyCells, count: number, isRetained: IsRetained): KeyCells {
  const to = keyCells(count)
  for (let cell = 0; cell < from.count; cell += 1) {
    if (!isRetained(from, cell)) continue
    const key = from.keyIn(cell)
    to.put(to.cellOf(key), key, from.endIn(cell))
  }
  return to
}

/** Seconds between two counts of expired keys. */
const recountSeconds = 5

/** Counts the ends that have passed; updated with every change, and counted again when more may have. */
function openEnds(all: () => Uint32Array) {
  let [at, count, next] = [0, 0, Number.POSITIVE_INFINITY]

  const recount = (): void => {
    count = 0
    next = Number.POSITIVE_INFINITY
    for (const end of all()) {
      if (end === 0) continue
      if (end <= at) count += 1
      else if (end < next) next = end
    }
  }

  return {
    recount,
    /** Records an added or removed end. */
    note: (end: number, by: 1 | -1): void => {
      if (end === 0) return
      if (end <= at) count += by
      else next = Math.min(next, end)
    },
    before: (second: number): number => {
      if (second >= next && second >= at + recountSeconds) {
        at = second
        recount()
      }
      return count
    },
  }
}

/** The key zero, which marks a free cell, is stored as its neighbour. */
function stored([high, low]: Key): Key {
  return high === 0 && low === 0 ? [0, 1] : [high, low]
}

/** Two unsigned 32-bit numbers of a digest. Zero marks a free cell. */
export type Key = readonly [high: number, low: number]

type KeyCells = ReturnType<typeof keyCells>

/** Free cells; their count is a power of two, and at least one stays free. */
function keyCells(count: number) {
  const cells = new Uint32Array(2 * count)
  const mask = count - 1
  let ends = noEnds

  const isFree = (cell: number): boolean => cells[2 * cell] === 0 && cells[2 * cell + 1] === 0
  const keyIn = (cell: number): Key => [cells[2 * cell] ?? 0, cells[2 * cell + 1] ?? 0]
  const put = (cell: number, [high, low]: Key, end: number): void => {
    cells[2 * cell] = high
    cells[2 * cell + 1] = low
    if (end !== 0 && ends === noEnds) ends = new Uint32Array(count)
    if (ends !== noEnds) ends[cell] = end
  }
  const endIn = (cell: number): number => ends[cell] ?? 0

  return {
    count,
    /** The cell with the key, or the free one where it belongs. */
    cellOf: ([high, low]: Key): number => {
      let cell = low & mask
      while (!isFree(cell) && (cells[2 * cell] !== high || cells[2 * cell + 1] !== low)) {
        cell = (cell + 1) & mask
      }
      return cell
    },
    isFree,
    keyIn,
    endIn,
    put,
    /** Frees the cell, and moves the keys that could no longer be found behind it. */
    free: (freed: number): void => {
      let hole = freed
      put(hole, [0, 0], 0)
      for (let cell = (hole + 1) & mask; !isFree(cell); cell = (cell + 1) & mask) {
        const key = keyIn(cell)
        const isReachable = ((cell - (key[1] & mask)) & mask) < ((cell - hole) & mask)
        if (isReachable) continue
        put(hole, key, endIn(cell))
        put(cell, [0, 0], 0)
        hole = cell
      }
    },
    /** The end of the key in each cell, 0 for none; empty while no key has one. */
    ends: (): Uint32Array => ends,
    bytes: (): number => cells.byteLength + ends.byteLength,
  }
}
