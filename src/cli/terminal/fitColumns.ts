/** How wide each column of a table may be. */

export interface Extent {
  /** What its widest cell takes. */
  readonly wanted: number
  /** What it takes at least. */
  readonly least: number
}

/**
 * The widths, in sum no more than there is room for: the widest columns give way first, none goes below its least. Undefined when
 * there is no room even for the least.
 */
export function fitColumns(
  extents: readonly Extent[],
  room: number,
): readonly number[] | undefined {
  const widthsAt = (limit: number): readonly number[] =>
    extents.map(({ wanted, least }) => Math.max(Math.min(wanted, limit), Math.min(wanted, least)))
  const widest = Math.max(0, ...extents.map(({ wanted }) => wanted))
  if (sumOf(widthsAt(widest)) <= room) return widthsAt(widest)
  if (sumOf(widthsAt(0)) > room) return undefined
  let fits = 0
  let tooWide = widest
  while (tooWide - fits > 1) {
    const limit = Math.floor((fits + tooWide) / 2)
    if (sumOf(widthsAt(limit)) <= room) fits = limit
    else tooWide = limit
  }
  return filled(widthsAt(fits), extents, room)
}

/** What is left of the room goes to the first columns that want more. */
function filled(
  widths: readonly number[],
  extents: readonly Extent[],
  room: number,
): readonly number[] {
  let left = room - sumOf(widths)
  return widths.map((width, index) => {
    const more = left > 0 && width < (extents[index]?.wanted ?? 0) ? 1 : 0
    left -= more
    return width + more
  })
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
