/** Computes the size of a character class in a pattern without compiling it. */

interface ClassFound {
  /** Where the pattern goes on. */
  readonly end: number
  /** What its ranges count; the class itself is an instruction. */
  readonly ranges: number
}

/** What one Unicode class such as `\pL` counts: the largest has about seven hundred ranges. */
export const unicodeClassSize = 48
/** What one character or range counts. */
const itemSize = 1 / 4
/** What a class with a name (`[:alpha:]`, `\d`) counts more where case does not count. */
export const foldedClassSize = 2
/** Characters of a range for one unit, where every one of them is looked up in the other case. */
const foldedChars = 32
/** Characters that have another case lie between these. */
const foldFrom = 0x41
const foldTo = 0x1e943

/** The class whose bracket is at this offset; `folds` for case-insensitive patterns. */
export function classAt(pattern: string, from: number, folds: boolean): ClassFound {
  let at = pattern.startsWith('^', from + 1) ? from + 2 : from + 1
  let ranges = 0
  for (let first = true; at < pattern.length; first = false) {
    if (pattern[at] === ']' && !first) return { end: at + 1, ranges }
    const item = itemAt(pattern, at, folds)
    at = item.end
    ranges += item.ranges
  }
  return { end: at, ranges }
}

function itemAt(pattern: string, from: number, folds: boolean): ClassFound {
  return namedAt(pattern, from, folds) ?? rangeAt(pattern, from, folds)
}

const namedForm = /\[:.*?:\]|\\([pP])(?:\{[^}]*\}|.)|\\[dDsSwW]/suy

function namedAt(pattern: string, from: number, folds: boolean): ClassFound | undefined {
  namedForm.lastIndex = from
  const found = namedForm.exec(pattern)
  if (!found) return undefined
  const named = itemSize + (folds ? foldedClassSize : 0)
  const ranges = found[1] === undefined ? named : unicodeClassSize
  return { end: from + found[0].length, ranges }
}

function rangeAt(pattern: string, from: number, folds: boolean): ClassFound {
  const low = characterAt(pattern, from)
  const isRange = pattern[low.end] === '-' && !pattern.startsWith(']', low.end + 1)
  const high = isRange ? characterAt(pattern, low.end + 1) : low
  const ranges = itemSize + (folds ? foldedCount(low.code, high.code) / foldedChars : 0)
  return { end: high.end, ranges }
}

function foldedCount(low: number, high: number): number {
  // a range over all of them folds to itself
  if (low <= foldFrom && high >= foldTo) return 0
  return Math.max(0, Math.min(high, foldTo) - Math.max(low, foldFrom) + 1)
}

interface Character {
  readonly end: number
  readonly code: number
}

const characterForm = /\\(?:x\{([^}]*)\}|x(..)|([0-7]{1,3})|(.))|./suy

function characterAt(pattern: string, from: number): Character {
  characterForm.lastIndex = from
  const found = characterForm.exec(pattern)
  if (!found) return { end: from + 1, code: 0 }
  const [whole, braced, hex, octal, escaped] = found
  return { end: from + whole.length, code: codeOf({ whole, hex: braced ?? hex, octal, escaped }) }
}

interface Written {
  readonly whole: string
  readonly hex: string | undefined
  readonly octal: string | undefined
  readonly escaped: string | undefined
}

function codeOf({ whole, hex, octal, escaped }: Written): number {
  if (hex !== undefined) return Number.parseInt(hex, 16) || 0
  if (octal !== undefined) return Number.parseInt(octal, 8)
  return (escaped ?? whole).codePointAt(0) ?? 0
}
