/** Finds the known name nearest to a mistyped one, for "did you mean". */

/** Longer texts are not compared. */
const lengthMax = 64
const abbreviationMin = 3

/**
 * The name nearest to the given one, or undefined when none is near: within one mistake for every three characters, at
 * least one and at most three (a character inserted, missing or wrong, or two swapped; case does not count); else the
 * only name that begins with it. Ties go to the first name. The work is bounded by the number of names, however long
 * the text is.
 */
export function nearestName(given: string, names: Iterable<string>): string | undefined {
  if (given === '' || given.length > lengthMax) return undefined
  const known = [...names]
  const sought = given.toLowerCase()
  return findLeastMistaken(sought, known) ?? findOnlyLonger(sought, known)
}

function findLeastMistaken(sought: string, names: readonly string[]): string | undefined {
  let best: string | undefined
  let allowed = Math.min(3, Math.max(1, Math.floor(sought.length / 3)))
  for (const name of names) {
    if (Math.abs(sought.length - name.length) > allowed) continue
    const distance = editDistance(sought, name.toLowerCase())
    if (distance > allowed) continue
    best = name
    allowed = distance - 1
  }
  return best
}

function findOnlyLonger(sought: string, names: readonly string[]): string | undefined {
  if (sought.length < abbreviationMin) return undefined
  const longer = new Set(names.filter((name) => name.toLowerCase().startsWith(sought)))
  return longer.size === 1 ? [...longer][0] : undefined
}

/** Whether at most so many edits, as `editDistance` counts them, make one text of the other. */
export function isWithinEdits(one: string, other: string, edits: number): boolean {
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  const [left, right] = [one.slice(same), other.slice(same)]
  if (left === '' || right === '') return left.length + right.length <= edits
  if (edits === 0) return false
  const isSwapped = left[0] === right[1] && left[1] === right[0]
  return (
    isWithinEdits(left.slice(1), right.slice(1), edits - 1) ||
    isWithinEdits(left.slice(1), right, edits - 1) ||
    isWithinEdits(left, right.slice(1), edits - 1) ||
    (isSwapped && isWithinEdits(left.slice(2), right.slice(2), edits - 1))
  )
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1]
      const changed = at(last, column - 1) + (same ? 0 : 1)
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          changed,
          swapped ? at(beforeLast, column - 2) + 1 : changed,
        ),
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, other.length)
}

/** The value at an index; infinity outside the row. */
function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
