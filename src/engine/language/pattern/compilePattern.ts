/** Checks the size of regular expressions, compiles them to linear-time matchers, caches them. */

import { LRUCache } from 'lru-cache'
import { ruleLimits } from '../ruleLimits.ts'
import { compileLiteralPattern, measurePattern } from './patternSize.ts'
import { compileRe2Pattern } from './re2Pattern.ts'

/** Bytes of cached patterns; a pattern that was checked is still there when it is to run. */
const patterns = new LRUCache<string, Pattern>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ bytes }) => Math.max(1, Math.ceil(bytes)),
})

export interface Pattern {
  /** Whether the pattern occurs anywhere in the text. */
  readonly test: (text: string) => boolean
  /** Steps that one character of the text can cost. */
  readonly stepsPerChar: number
  /** Bytes of memory at most, without the states cached while it runs. */
  readonly bytes: number
}

/** The compiled pattern, or the problem with it. Semantics and syntax of RE2; never throws. */
export function compilePattern(pattern: string): Pattern | string {
  if (pattern.length > ruleLimits.patternChars) {
    return `the pattern is longer than ${ruleLimits.patternChars} characters`
  }
  const known = patterns.get(pattern)
  if (known) return known
  const made = compileUncached(pattern)
  if (typeof made !== 'string') patterns.set(pattern, made)
  return made
}

/** Bytes of a pattern at most: of a literal one, of any other, and for each unit of its size. */
const literalBytes = 2048
const ownBytes = 4096
const unitBytes = 500

function compileUncached(pattern: string): Pattern | string {
  const literal = compileLiteralPattern(pattern)
  if (literal) return { test: literal, stepsPerChar: 1, bytes: literalBytes }
  const size = measurePattern(pattern)
  // the library would make sixty thousand instructions of so many characters
  if (size > ruleLimits.patternSize) return `the pattern is larger than ${ruleLimits.patternSize}`
  const made = compileRe2Pattern(pattern)
  if (typeof made === 'string') return describeProblem(pattern, made)
  const { test, instructions } = made
  return { test, stepsPerChar: 64 + 4 * instructions, bytes: ownBytes + unitBytes * size }
}

function describeProblem(pattern: string, problem: string): string {
  if (/\(\?<?[=!]/.test(pattern)) return 'look-around is not in the language of patterns (RE2)'
  if (/\\[1-9]|\\k</.test(pattern)) {
    return 'back-references are not in the language of patterns (RE2)'
  }
  return `the pattern is not a regular expression (RE2): ${problem}`
}
