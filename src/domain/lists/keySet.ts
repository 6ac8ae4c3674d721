/** Stores a set of 64-bit keys in an open-addressing hash table: 16 MiB per million, 24 with ends. */

const noEnds = new Uint32Array(0)

export interface KeySet {
  readonly has: (key: Key) => boolean
  /** Adds it, or gives it another end: the second since the Unix epoch from which on it does not count; 0 for one that stays. */
  readonly add: (key: Key, end?: number) => void
  readonly delete: (key: Key) => void
  /** All that it has, those that have ended among them. */
  readonly size: () => number
  /** How many of them had ended by a second, as it was at most some seconds before: to tell it every key is looked at. */
  readonly ended: (second: number) => number
  readonly bytes: () => number
}

/** A part of the cells that is filled at most. */
const fillMax = 3 / 4
const cellsAtFirst = 16
const endMax = 0xff_ff_ff_ff

/** An empty set. Keys that ended before the second `forgettable` are removed when the table is full. */
export function keySet(forgettable: () => number = () => 0): KeySet {
  let cells = keyCells(cellsAtFirst)
  let size = 0
  const ends = openEnds(() => cells.ends())

  const makeRoom = (): void => {
    const isKept = keptUntil(forgettable())
    size = sizeOf(cells, isKept)
    const isFull = size > (cells.count * fillMax) / 2
    cells = moved(cells, isFull ? 2 * cells.count : cells.count, isKept)
    ends.recount()
  }

  return {
    has: (key) => !cells.isFree(cells.cellOf(stored(key))),
    add: (given, end = 0) => {
      const key = stored(given)
      if (cells.isFree(cells.cellOf(key))) {
        if (size + 1 > cells.count * fillMax) makeRoom()
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

type IsKept = (cells: KeyCells, cell: number) => boolean

function keptUntil(second: number): IsKept {
  return (cells, cell) => {
    const end = cells.endIn(cell)
    return !cells.isFree(cell) && (end === 0 || end > second)
  }
}

function sizeOf(cells: KeyCells, isKept: IsKept): number {
  let size = 0
  for (let cell = 0; cell < cells.count; cell += 1) if (isKept(cells, cell)) size += 1
  return size
}

/** So many cells, and in them what is kept. */
function moved(from: KeyCells, count: number, isKept: IsKept): KeyCells {
  const to = keyCells(count)
  for (let cell = 0; cell < from.count; cell += 1) {
    if (!isKept(from, cell)) continue
    const key = from.keyIn(cell)
    to.put(to.cellOf(key), key, from.endIn(cell))
  }
  return to
}

/** How long it is not counted again how many have ended. */
const recountSeconds = 5

/** How many ends have passed: counted at a second, kept up from then on, and counted anew when there may be more. */
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
    /** One is there, or there no more. */
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

/** The key zero takes the place of its neighbour, which says that it is there rather than that it is not. */
function stored([high, low]: Key): Key {
  return high === 0 && low === 0 ? [0, 1] : [high, low]
}

/** Two unsigned numbers of 32 bits each; evenly spread, as those of a digest are. Zero stands for a free cell. */
export type Key = readonly [high: number, low: number]

interface KeyCells {
  /** How many cells there are, a power of two; one at least must be free. */
  readonly count: number
  /** The cell that has the key, or the free one in which it belongs. */
  readonly cellOf: (key: Key) => number
  readonly isFree: (cell: number) => boolean
  readonly keyIn: (cell: number) => Key
  /** When the key in the cell ends; 0 for one that stays. */
  readonly endIn: (cell: number) => number
  readonly put: (cell: number, key: Key, end: number) => void
  /** Frees the cell, and moves up what would not be found any more behind it. */
  readonly free: (cell: number) => void
  /** When the keys end, each in a cell: 0 for those that stay and for free cells. Empty while every key stays. */
  readonly ends: () => Uint32Array
  readonly bytes: () => number
}

/** The cells, all free. */
function keyCells(count: number): KeyCells {
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
    cellOf: ([high, low]) => {
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
    free: (freed) => {
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
    ends: () => ends,
    bytes: () => cells.byteLength + ends.byteLength,
  }
}
