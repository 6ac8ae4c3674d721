/** The figures of several runs in one list. */

import type { RecordedFigure } from './figure.ts'

/**
 * The earlier figures with the measured ones in place of those of the same part, or of the same name against the same
 * thing. `parts` is the order; within a part figures stand as they were measured.
 */
export function mergeFigures(
  earlier: readonly RecordedFigure[],
  measured: readonly RecordedFigure[],
  parts: readonly string[],
): readonly RecordedFigure[] {
  const measuredParts = new Set(measured.map(({ part }) => part))
  const keys = new Set(measured.map(keyOf))
  const others = earlier.filter((one) => !measuredParts.has(one.part) && !keys.has(keyOf(one)))
  const rank = ({ part }: RecordedFigure): number =>
    parts.includes(part) ? parts.indexOf(part) : parts.length
  return [...others, ...measured].sort((a, b) => rank(a) - rank(b))
}

function keyOf({ name, against }: RecordedFigure): string {
  return JSON.stringify([name, against])
}
