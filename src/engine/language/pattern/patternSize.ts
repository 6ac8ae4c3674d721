/** Computes the size of a pattern from its text, before the expensive compilation. */

import { classAt, foldedClassSize, unicodeClassSize } from './classSize.ts'
import { literalMatcher } from './literal.ts'

/** A group that is still open, or the pattern itself. */
interface Group {
  /** Instructions of all parts but the last. */
  done: number
  /** Instructions of the last part, which a quantifier repeats; 0 where an alternative begins. */
  last: number
  /** What the brackets themselves count. */
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
  /** What is made once, however often it is repeated: the ranges of classes. */
  ranges: number
  /** Whether case does not count, as far as any flag before has said. */
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

/** `\Q…\E`: characters that stand for themselves. */
function scanQuoted(scan: Scan): void {
  const from = scan.at + 2
  const to = scan.pattern.indexOf('\\E', from)
  const text = scan.pattern.slice(from, to < 0 ? undefined : to)
  for (const _ of text) add(scan, 1)
  scan.at = to < 0 ? scan.pattern.length : to + 2
}

const quantifierForm = /(?:([*+?])|\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\})\??/y

/** False where what looks like one is a character. */
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
