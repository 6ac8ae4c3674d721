/** Computes a pattern's size from its text, before compilation; matches literal patterns. */

/** The instruction that fails and the one that matches: every machine has them. */
const ends = 2
/** The most that the library takes for a counted repetition. */
const countMax = 1000

/** The parts of a pattern outside of classes. */
const partForm = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    String.raw`(?<escaped>\\(?:(?<unicode>[pP])(?:\{[^}]*\}|.)|x\{[^}]*\}|x..|[0-7]{1,3}|.|$))`,
    String.raw`(?<open>\((?:\?(?:P?<[^>]*>|(?<flags>[a-zA-Z-]*)(?<end>[:)])))?)`,
    String.raw`(?:(?<sign>[*+?])|\{(?<least>0|[1-9]\d*)(?<comma>,(?<most>0|[1-9]\d*)?)?\})\??`,
    '.',
  ].join('|'),
  'suy',
)

/**
 * The size of a pattern in instructions, or in work that takes about as long: never less than its compiled
 * instructions. For invalid patterns, any number. A unit takes about three microseconds to compile, never more than
 * ten, and up to 500 bytes (docs/decisions/pattern-sizes.md).
 */
export function measurePattern(pattern: string): number {
  if (compileLiteralPattern(pattern)) return 1
  const scan: Scan = { groups: [{ done: 0, last: 0, brackets: 0 }], ranges: 0, folds: false }
  for (let at = 0; at < pattern.length; ) {
    if (pattern[at] === '[') {
      at = scanClass(scan, pattern, at)
    } else {
      partForm.lastIndex = at
      const found = partForm.exec(pattern)
      at = partForm.lastIndex
      if (found) scanPart(scan, found[0], found.groups ?? {})
    }
  }
  while (scan.groups.length > 1) closeGroup(scan)
  return Math.ceil(ends + measureGroup(currentGroup(scan)) + scan.ranges)
}

/** A group that is still open, or the pattern itself. */
interface Group {
  /** Instructions of all parts but the last. */
  done: number
  /** Instructions of the last part, which a quantifier repeats; 0 where an alternative begins. */
  last: number
  /** The size of the brackets themselves. */
  readonly brackets: number
}

interface Scan {
  readonly groups: Group[]
  /** The size of all ranges of classes, which repetitions do not multiply. */
  ranges: number
  /** Whether a flag before has made the pattern case-insensitive. */
  folds: boolean
}

type Found = Readonly<Record<string, string | undefined>>

function scanPart(scan: Scan, text: string, found: Found): void {
  const { quoted, escaped, open, sign, least } = found
  const group = currentGroup(scan)
  if (open !== undefined) {
    openGroup(scan, found)
  } else if (sign !== undefined || least !== undefined) {
    group.last = measureRepetition(group.last, found)
  } else if (text === ')') {
    closeGroup(scan)
  } else if (text === '|') {
    group.done += Math.max(1, group.last) + 1
    group.last = 0
  } else if (quoted !== undefined) {
    for (const _ of quoted) addPart(scan, 1)
  } else {
    if (escaped !== undefined) scan.ranges += measureEscape(escaped, found, scan.folds)
    addPart(scan, 1)
  }
}

function currentGroup({ groups }: Scan): Group {
  return groups.at(-1) as Group
}

function addPart(scan: Scan, instructions: number): void {
  const group = currentGroup(scan)
  group.done += group.last
  group.last = instructions
}

function openGroup(scan: Scan, { flags, end }: Found): void {
  if (flags?.includes('i')) scan.folds = true
  if (end !== ')') scan.groups.push({ done: 0, last: 0, brackets: end === ':' ? 0 : 2 })
}

function closeGroup(scan: Scan): void {
  if (scan.groups.length === 1) return
  const group = scan.groups.pop() as Group
  addPart(scan, measureGroup(group))
}

function measureGroup({ done, last, brackets }: Group): number {
  // an alternative of nothing is an instruction, too
  return done + Math.max(1, last) + brackets
}

function measureRepetition(last: number, { sign, least, comma, most }: Found): number {
  if (sign !== undefined) return last + (sign === '*' ? 2 : 1)
  const min = Math.min(countMax, Number(least))
  // x{3,} is xxx+, and x{0,} is x*
  if (comma !== undefined && most === undefined) return last * Math.max(1, min) + 2
  const max = comma === undefined ? min : Math.min(countMax, Number(most))
  return Math.max(1, last * max + Math.max(0, max - min))
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

function measureEscape(escaped: string, { unicode }: Found, folds: boolean): number {
  if (unicode !== undefined) return unicodeClassSize
  return folds && /[dDsSwW]/.test(escaped) ? foldedClassSize : 0
}

const char = String.raw`(?:\\(?:x\{[^}]*\}|x..|[0-7]{1,3}|.)|.)`
/** An item of a class. */
const itemForm = new RegExp(
  String.raw`(?<unicode>\\[pP](?:\{[^}]*\}|.))|(?<named>\[:.*?:\]|\\[dDsSwW])|(?<low>${char})(?:-(?!\])(?<high>${char})?)?`,
  'suy',
)

/** Adds the class whose bracket is at this offset; returns the offset after it. */
function scanClass(scan: Scan, pattern: string, from: number): number {
  const first = pattern.startsWith('^', from + 1) ? from + 2 : from + 1
  let at = first
  while (at < pattern.length && (at === first || pattern[at] !== ']')) {
    itemForm.lastIndex = at
    scan.ranges += measureClassItem(itemForm.exec(pattern)?.groups ?? {}, scan.folds)
    at = itemForm.lastIndex
  }
  addPart(scan, 1)
  return at + 1
}

function measureClassItem({ unicode, named, low = '', high = low }: Found, folds: boolean): number {
  if (unicode !== undefined) return unicodeClassSize
  if (!folds) return itemSize
  if (named !== undefined) return itemSize + foldedClassSize
  return itemSize + countFoldedChars(readCodePoint(low), readCodePoint(high)) / foldedChars
}

function countFoldedChars(low: number, high: number): number {
  // a range over all of them folds to itself
  if (low <= foldFrom && high >= foldTo) return 0
  return Math.max(0, Math.min(high, foldTo) - Math.max(low, foldFrom) + 1)
}

/** The code point of a character as written in a class. */
function readCodePoint(written: string): number {
  const [, hex, octal] = /^\\(?:x\{?([^}]+)|([0-7]{1,3}))/u.exec(written) ?? []
  if (hex !== undefined) return Number.parseInt(hex, 16) || 0
  if (octal !== undefined) return Number.parseInt(octal, 8)
  return written.codePointAt(/^\\./su.test(written) ? 1 : 0) ?? 0
}

const form = /^(\^?)((?:[^\\.+*?()|[\]{}^$\ud800-\udfff]|\\[!-/:-@[-`{-~])*)(\$?)$/

/**
 * A test equal to the pattern; undefined when the pattern has more than literal characters. `$` without flags is the
 * very end of the text in RE2. Characters beyond the first plane are left to RE2, since half a pair could be found
 * inside another.
 */
export function compileLiteralPattern(pattern: string): ((text: string) => boolean) | undefined {
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
