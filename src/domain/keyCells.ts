/** Keys of 64 bits in an open table: each lies in the first free cell from its own on. */

/** Two unsigned numbers of 32 bits each; evenly spread, as those of a digest are. Zero stands for a free cell. */
export type Key = readonly [high: number, low: number]

export interface KeyCells {
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

const noEnds = new Uint32Array(0)

/** The cells, all free. */
export function keyCells(count: number): KeyCells {
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
