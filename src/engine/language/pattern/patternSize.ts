/** Computes the size of a pattern from its text, before the expensive compilation. */

/** A group that is still open, or the pattern itself. */
interface Group {
  /** Instructions of all parts but the last. */
  done: number
  /** Instructions of the last part, which a quantifier repeats; 0 where an alternative begins. */
  last: number
  /** The size of the brackets themselves. */
  readonly brackets: number
}

/** The instruction that fails and the one that matches: every machine has them. */
const ends = 2
/** The most that the library takes for a counted repetition. */
const countMax = 1000

/**
 * The size of a pattern in instructions, or in work that takes about as long: never less than its compiled instructions. For invalid
 * patterns, any number. A unit takes about three microseconds to compile, never more than ten, and up to 500 bytes
 * (docs/decisions/pattern-sizes.md).
 */
export function patternSize(pattern: string): number {
  if (literalMatcher(pattern)) return 1
  const scan: Scan = {
    pattern,
    at: 0,
    groups: [{ done: 0, last: 0, brackets: 0 }],
    ranges: 0,
    folds: false,
  }
  while (scan.at < pattern.length) scanPart(scan)
  while (scan.groups.length > 1) closeGroup(scan)
  return Math.ceil(ends + closed(current(scan)) + scan.ranges)
}

interface Scan {
  readonly pattern: string
  at: number
  readonly groups: Group[]
  /** The size of all ranges of classes, which repetitions do not multiply. */
  ranges: number
  /** Whether a flag before has made the pattern case-insensitive. */
  folds: boolean
}

function scanPart(scan: Scan): void {
  switch (scan.pattern[scan.at]) {
    case '(':
      openGroup(scan)
      break
    case ')':
      scan.at += 1
      closeGroup(scan)
      break
    case '|':
      scan.at += 1
      nextAlternative(current(scan))
      break
    case '[':
      scanClass(scan)
      break
    case '\\':
      scanEscape(scan)
      break
    case '*':
    case '+':
    case '?':
    case '{':
      if (!scanQuantifier(scan)) scanCharacter(scan)
      break
    default:
      scanCharacter(scan)
  }
}

function current({ groups }: Scan): Group {
  return groups.at(-1) as Group
}

function add(scan: Scan, instructions: number): void {
  const group = current(scan)
  group.done += group.last
  group.last = instructions
}

function scanCharacter(scan: Scan): void {
  const code = scan.pattern.codePointAt(scan.at) ?? 0
  scan.at += code > 0xffff ? 2 : 1
  add(scan, 1)
}

const groupForm = /\((?:\?(?:P?<[^>]*>|([a-zA-Z-]*)([:)])))?/y

function openGroup(scan: Scan): void {
  groupForm.lastIndex = scan.at
  const [whole = '(', flags, end] = groupForm.exec(scan.pattern) ?? []
  scan.at += whole.length
  if (flags?.includes('i')) scan.folds = true
  if (end === ')') return
  scan.groups.push({ done: 0, last: 0, brackets: end === ':' ? 0 : 2 })
}

function closeGroup(scan: Scan): void {
  if (scan.groups.length === 1) return
  const group = scan.groups.pop() as Group
  add(scan, closed(group))
}

function closed({ done, last, brackets }: Group): number {
  // an alternative of nothing is an instruction, too
  return done + Math.max(1, last) + brackets
}

function nextAlternative(group: Group): void {
  group.done += Math.max(1, group.last) + 1
  group.last = 0
}

function scanClass(scan: Scan): void {
  const { end, ranges } = classAt(scan.pattern, scan.at, scan.folds)
  scan.at = end
  scan.ranges += ranges
  add(scan, 1)
}

const escapeForm = /\\(?:([pP])(?:\{[^}]*\}|.)|x\{[^}]*\}|x..|[0-7]{1,3}|.|$)/suy

function scanEscape(scan: Scan): void {
  if (scan.pattern.startsWith('\\Q', scan.at)) {
    scanQuoted(scan)
    return
  }
  escapeForm.lastIndex = scan.at
  const [whole = '\\', unicode] = escapeForm.exec(scan.pattern) ?? []
  scan.at += whole.length
  if (unicode !== undefined) scan.ranges += unicodeClassSize
  else if (scan.folds && /[dDsSwW]/.test(whole)) scan.ranges += foldedClassSize
  add(scan, 1)
}

/** `\Q…\E`: literal characters. */
function scanQuoted(scan: Scan): void {
  const from = scan.at + 2
  const to = scan.pattern.indexOf('\\E', from)
  const text = scan.pattern.slice(from, to < 0 ? undefined : to)
  for (const _ of text) add(scan, 1)
  scan.at = to < 0 ? scan.pattern.length : to + 2
}

const quantifierForm = /(?:([*+?])|\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\})\??/y

/** Returns false when the character is no quantifier. */
function scanQuantifier(scan: Scan): boolean {
  quantifierForm.lastIndex = scan.at
  const found = quantifierForm.exec(scan.pattern)
  if (!found) return false
  scan.at += found[0].length
  const group = current(scan)
  group.last = repeated(group.last, found)
  return true
}

function repeated(last: number, [, sign, least, comma, most]: RegExpExecArray): number {
  if (sign !== undefined) return last + (sign === '*' ? 2 : 1)
  const min = Math.min(countMax, Number(least))
  // x{3,} is xxx+, and x{0,} is x*
  if (comma !== undefined && most === undefined) return last * Math.max(1, min) + 2
  const max = comma === undefined ? min : Math.min(countMax, Number(most))
  return Math.max(1, last * max + Math.max(0, max - min))
}

interface ClassFound {
  /** The offset after the class. */
  readonly end: number
  /** The size of its ranges; the class itself is an instruction. */
  readonly ranges: number
}

/** The size of a Unicode class such as `\pL`: the largest has about seven hundred ranges. */
const unicodeClassSize = 48
/** The size of a character or range. */
const itemSize = 1 / 4
/** Added for a named class (`[:alpha:]`, `\d`) in case-insensitive patterns. */
const foldedClassSize = 2
/** Characters of a range per unit of size, in case-insensitive patterns. */
const foldedChars = 32
/** The code points between which characters have another case. */
const foldFrom = 0x41
const foldTo = 0x1e943

/** The class whose bracket is at this offset; `folds` for case-insensitive patterns. */
function classAt(pattern: string, from: number, folds: boolean): ClassFound {
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

const form = /^(\^?)((?:[^\\.+*?()|[\]{}^$\ud800-\udfff]|\\[!-/:-@[-`{-~])*)(\$?)$/

/**
 * A test equal to the pattern; undefined when the pattern has more than literal characters. `$` without flags is the very end of the text
 * in RE2. Characters beyond the first plane are left to RE2, since half a pair could be found inside another.
 */
export function literalMatcher(pattern: string): ((text: string) => boolean) | undefined {
  const found = form.exec(pattern)
  if (!found) return undefined
  const literal = (found[2] ?? '').replace(/\\(.)/gs, '$1')
  const atStart = found[1] !== ''
  const atEnd = found[3] !== ''
  if (atStart && atEnd) return (text) => text === literal
  if (atStart) return (text) => text.startsWith(literal)
  if (atEnd) return (text) => text.endsWith(literal)
  return (text) => text.includes(literal)
}
