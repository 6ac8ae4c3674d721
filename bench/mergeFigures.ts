/** The figures of several runs in one list. */

import type { RecordedFigure } from './figure.ts'

/**
 * The earlier figures with the measured ones in place of those of the same part or name. `parts` is the order; within a
 * part figures stand as they were measured.
 */
export function mergeFigures(
  earlier: readonly RecordedFigure[],
  measured: readonly RecordedFigure[],
  parts: readonly string[],
): readonly RecordedFigure[] {
  const measuredParts = new Set(measured.map(({ part }) => part))
  const names = new Set(measured.map(({ name }) => name))
  const others = earlier.filter(({ part, name }) => !measuredParts.has(part) && !names.has(name))
  const rank = ({ part }: RecordedFigure): number =>
    parts.includes(part) ? parts.indexOf(part) : parts.length
  return [...others, ...measured].sort((a, b) => rank(a) - rank(b))
}
