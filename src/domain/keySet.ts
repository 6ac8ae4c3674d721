/** A set of 64-bit keys in little memory: a million take 16 MiB. */

export interface KeySet {
  readonly has: (key: Key) => boolean
  readonly add: (key: Key) => void
  readonly delete: (key: Key) => void
  readonly size: () => number
  readonly bytes: () => number
}

/** Two unsigned numbers of 32 bits each; evenly spread, as those of a digest are. */
export type Key = readonly [high: number, low: number]

/** A part of the cells that is filled at most. */
const fillMax = 3 / 4
const cellsAtFirst = 16

/** The set, empty. Keys lie in an open table, each in the first free cell from its own on. */
export function keySet(): KeySet {
  let cells = new Uint32Array(2 * cellsAtFirst)
  let mask = cellsAtFirst - 1
  let size = 0

  /** The cell that has the key, or the free one in which it belongs. */
  const cellOf = (high: number, low: number): number => {
    let cell = low & mask
    while (!isFree(cell) && (cells[2 * cell] !== high || cells[2 * cell + 1] !== low)) {
      cell = (cell + 1) & mask
    }
    return cell
  }
  const isFree = (cell: number): boolean => cells[2 * cell] === 0 && cells[2 * cell + 1] === 0
  const put = (cell: number, high: number, low: number): void => {
    cells[2 * cell] = high
    cells[2 * cell + 1] = low
  }

  const grow = (): void => {
    const old = cells
    cells = new Uint32Array(2 * old.length)
    mask = cells.length / 2 - 1
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = [old[at], old[at + 1]]
      if (high !== 0 || low !== 0) put(cellOf(high, low), high, low)
    }
  }

  /** Moves up what would not be found any more behind a cell that became free. */
  const close = (free: number): void => {
    let hole = free
    for (let cell = (hole + 1) & mask; !isFree(cell); cell = (cell + 1) & mask) {
      const [high = 0, low = 0] = [cells[2 * cell], cells[2 * cell + 1]]
      const isReachable = ((cell - (low & mask)) & mask) < ((cell - hole) & mask)
      if (isReachable) continue
      put(hole, high, low)
      put(cell, 0, 0)
      hole = cell
    }
  }

  return {
    has: (key) => !isFree(cellOf(...stored(key))),
    add: (key) => {
      const [high, low] = stored(key)
      if (!isFree(cellOf(high, low))) return
      size += 1
      if (size > (mask + 1) * fillMax) grow()
      put(cellOf(high, low), high, low)
    },
    delete: (key) => {
      const cell = cellOf(...stored(key))
      if (isFree(cell)) return
      size -= 1
      put(cell, 0, 0)
      close(cell)
    },
    size: () => size,
    bytes: () => cells.byteLength,
  }
}

/** Zero stands for a free cell; the key zero takes the place of its neighbour, which says that it is there rather than that it is not. */
function stored([high, low]: Key): Key {
  return high === 0 && low === 0 ? [0, 1] : [high, low]
}
