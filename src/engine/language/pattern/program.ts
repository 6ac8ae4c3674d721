/** A regular expression as the instructions of a machine, by the parser of the RE2 library; kept small, since many are. */

import { limits } from '../limits.ts'
import { RE2JS, RE2JSException } from './re2Library.ts'
import { type Instruction, type Taker, takersOf } from './takers.ts'

/** The kinds of instruction, by the library's numbers. */
export const kinds = Object.freeze({
  either: 1,
  eitherMatch: 2,
  capture: 3,
  assert: 4,
  fail: 5,
  match: 6,
  nothing: 7,
  /** This and those above it take one character. */
  take: 8,
})

/** What an assertion asks of its place, as bits. */
export const asserts = Object.freeze({
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
})

/** Instructions side by side, by their number. */
export interface Program {
  readonly instructions: number
  readonly kinds: Uint8Array
  readonly next: Uint16Array
  /** The other way of `either`; the bits of `assert`. */
  readonly other: Uint16Array
  /** Which of `takers` says what an instruction takes; of no account for those that take no character. */
  readonly taker: Uint16Array
  readonly takers: readonly Taker[]
  readonly start: number
  /** Whether every match begins where the text begins. */
  readonly anchored: boolean
  /** Whether any instruction asks something of its place. */
  readonly asserting: boolean
  /** What a text must contain to match at all, quickly told; undefined where nothing can be told. */
  readonly prefilter: Prefilter | undefined
  /** What all of it holds in memory. */
  readonly bytes: number
}

/** A test that every matching text passes. */
type Prefilter = (text: string) => boolean

/** Instructions a pattern could at most become before it is really compiled: keeps the library from long work. */
const expansionMax = 50_000

/** The program of a pattern in the syntax of RE2, or what is wrong with it. Never throws. */
export function programOf(pattern: string): Program | string {
  if (expansion(pattern) > expansionMax) return tooLarge
  try {
    const { prog, cond, prefilter } = new RE2JS(pattern).re2()
    if (prog.inst.length > limits.patternInstructions) return tooLarge
    return {
      ...tablesOf(prog.inst),
      start: prog.start,
      anchored: (cond & asserts.beginText) !== 0,
      prefilter: prefilter ? prefilterOf(prefilter) : undefined,
    }
  } catch (error) {
    return refusal(pattern, error)
  }
}

/** What a program takes in memory beside its tables: the closures around it and its prefilter. */
const ownBytes = 4096
/** Of one instruction, over all tables. */
const instructionBytes = 7

function tablesOf(inst: readonly Instruction[]) {
  const { takers, taker, bytes } = takersOf(inst, kinds.take)
  return {
    instructions: inst.length,
    kinds: Uint8Array.from(inst, ({ op }) => op),
    next: Uint16Array.from(inst, ({ out }) => out),
    other: Uint16Array.from(inst, ({ arg }) => arg),
    taker,
    takers,
    asserting: inst.some(({ op }) => op === kinds.assert),
    bytes: ownBytes + instructionBytes * inst.length + bytes,
  }
}

const tooLarge = `the pattern is larger than ${limits.patternInstructions} instructions`

/** The counts of `{n}` multiply where they are nested, and the library allows a product of a thousand. */
function expansion(pattern: string): number {
  let product = 1
  for (const [, least, most] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    product = Math.min(1000, product * Math.max(1, Number(least), Number(most ?? 0)))
  }
  return pattern.length * product
}

function refusal(pattern: string, error: unknown): string {
  if (/\(\?<?[=!]/.test(pattern)) return 'look-around is not in the language of patterns (RE2)'
  if (/\\[1-9]|\\k</.test(pattern))
    return 'back-references are not in the language of patterns (RE2)'
  const reason = error instanceof RE2JSException ? error.message : 'it cannot be read'
  return `the pattern is not a regular expression (RE2): ${reason}`
}

/** The library's own finding: texts that must all (2) or of which one (3) must occur; exact ones (1) are the leaves. */
interface Required {
  readonly type: number
  readonly subs: readonly Required[]
  readonly str: string
}

function prefilterOf({ type, subs, str }: Required): Prefilter | undefined {
  if (type === 1) return (text) => text.includes(str)
  const parts = subs.map(prefilterOf)
  const known = parts.filter((part) => part !== undefined)
  if (type === 2 && known.length > 0) return (text) => known.every((part) => part(text))
  if (type === 3 && known.length === parts.length) return (text) => known.some((part) => part(text))
  return undefined
}
