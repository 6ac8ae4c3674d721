/** The positions of a log whose events are lost, and accepted as lost: they stay empty, so that no position is ever used twice. */

import { hasTable } from './readDatabase.ts'
import type { Database } from './sqlite.ts'

/** Positions from `first` to `last`, both included. */
export interface PositionRange {
  readonly first: number
  readonly last: number
}

export interface LostPositions {
  /** The position that comes after this one in the log. */
  readonly next: (position: number) => number
  readonly includes: (position: number) => boolean
  /** How many there are. */
  readonly count: number
}

/** Reads them; a log of an older version has none. */
export function readLostPositions(database: Database): LostPositions {
  const ranges = hasTable(database, 'lost_positions') ? rangesIn(database) : []
  const rangeAt = (position: number): PositionRange | undefined =>
    ranges.find(({ first, last }) => first <= position && position <= last)
  const next = (position: number): number => {
    const range = rangeAt(position + 1)
    return range ? next(range.last) : position + 1
  }
  return {
    next: ranges.length === 0 ? (position) => position + 1 : next,
    includes: (position) => rangeAt(position) !== undefined,
    count: ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0),
  }
}

function rangesIn(database: Database): readonly PositionRange[] {
  return database
    .prepare('SELECT first, last FROM lost_positions ORDER BY first')
    .all()
    .map(({ first, last }) => ({ first: Number(first), last: Number(last) }))
}
