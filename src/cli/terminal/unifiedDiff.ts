/** The differences of two texts, line by line, in the unified form. */

const contextLines = 3
/** Cells of the table of common lines; texts too long for it count as wholly different. */
const cellsMax = 4_000_000

interface Edit {
  readonly sign: ' ' | '-' | '+'
  readonly line: string
}

/** Lines that start with `@@`, space, `-` or `+`; none when the texts are the same. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const edits = editsOf(linesOf(before), linesOf(after))
  return hunksOf(edits).flatMap(([start, end]) => hunkLines(edits, start, end))
}

function linesOf(text: string): readonly string[] {
  if (text === '') return []
  return text.replace(/\n$/, '').split('\n')
}

function editsOf(before: readonly string[], after: readonly string[]): readonly Edit[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1
  let tail = 0
  const tailMax = Math.min(before.length, after.length) - head
  while (tail < tailMax && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const same = (line: string): Edit => ({ sign: ' ', line })
  return [
    ...before.slice(0, head).map(same),
    ...middleEdits(
      before.slice(head, before.length - tail),
      after.slice(head, after.length - tail),
    ),
    ...before.slice(before.length - tail).map(same),
  ]
}

function middleEdits(before: readonly string[], after: readonly string[]): readonly Edit[] {
  const width = after.length + 1
  const isTooLong = (before.length + 1) * width > cellsMax
  const common = isTooLong ? undefined : commonLengths(before, after)
  const at = (row: number, column: number): number => common?.[row * width + column] ?? 0
  const edits: Edit[] = []
  let row = 0
  let column = 0
  while (row < before.length || column < after.length) {
    const [old, fresh] = [before[row], after[column]]
    if (common && old !== undefined && old === fresh) {
      edits.push({ sign: ' ', line: old })
      row += 1
      column += 1
    } else if (
      old !== undefined &&
      (fresh === undefined || at(row + 1, column) >= at(row, column + 1))
    ) {
      edits.push({ sign: '-', line: old })
      row += 1
    } else {
      edits.push({ sign: '+', line: fresh ?? '' })
      column += 1
    }
  }
  return edits
}

/** How many lines the rests of both texts have in common, from each pair of places on. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const below = lengths[(row + 1) * width + column] ?? 0
      const beside = lengths[row * width + column + 1] ?? 0
      const diagonal = lengths[(row + 1) * width + column + 1] ?? 0
      lengths[row * width + column] =
        before[row] === after[column] ? diagonal + 1 : Math.max(below, beside)
    }
  }
  return lengths
}

/** Where the hunks begin and end: changes with their context, those that touch joined. */
function hunksOf(edits: readonly Edit[]): readonly (readonly [number, number])[] {
  const hunks: [number, number][] = []
  for (const [index, { sign }] of edits.entries()) {
    if (sign === ' ') continue
    const start = Math.max(0, index - contextLines)
    const end = Math.min(edits.length, index + contextLines + 1)
    const previous = hunks.at(-1)
    if (previous && start <= previous[1]) previous[1] = end
    else hunks.push([start, end])
  }
  return hunks
}

function hunkLines(edits: readonly Edit[], start: number, end: number): readonly string[] {
  const range = (other: Edit['sign']): string => {
    const count = (part: readonly Edit[]): number =>
      part.filter(({ sign }) => sign !== other).length
    const lines = count(edits.slice(start, end))
    const before = count(edits.slice(0, start))
    return `${lines === 0 ? before : before + 1},${lines}`
  }
  const lines = edits.slice(start, end).map(({ sign, line }) => sign + line)
  return [`@@ -${range('+')} +${range('-')} @@`, ...lines]
}
