/** Compiles regular expressions that run in linear time, and caches them. */

import { LRUCache } from 'lru-cache'
import { limits } from '../limits.ts'
import { linearPattern } from './linearPattern.ts'
import { literalMatcher } from './literal.ts'
import { patternSize } from './patternSize.ts'

/** Bytes of patterns that are kept though nothing that runs has them. */
const keptBytesMax = 16 * 1024 * 1024

/** What was used last, so that what is compiled to be checked is there when it is to run. */
const kept = new LRUCache<string, Pattern>({
  maxSize: keptBytesMax,
  sizeCalculation: ({ bytes }) => Math.max(1, Math.ceil(bytes)),
})
/** Whatever any compiled plan still has, so that one who tries many patterns pushes out nobody's. */
const inUse = new Map<string, WeakRef<Pattern>>()
const dropped = new FinalizationRegistry((text: string) => {
  if (inUse.get(text)?.deref() === undefined) inUse.delete(text)
})

export interface Pattern {
  /** Whether the pattern occurs anywhere in the text. */
  readonly test: (text: string) => boolean
  /** Steps that one character of the text can cost. */
  readonly stepsPerChar: number
  /** The most it holds in memory, without the states that it makes while it runs. */
  readonly bytes: number
}

/** The compiled pattern, or the problem with it. Semantics and syntax of RE2; never throws. */
export function compilePattern(pattern: string): Pattern | string {
  if (pattern.length > limits.patternChars) {
    return `the pattern is longer than ${limits.patternChars} characters`
  }
  return knownPattern(pattern, compiled)
}

/** What a pattern holds at most: one that is only characters, any other, and that for each unit of its size. */
const literalBytes = 2048
const ownBytes = 4096
const unitBytes = 500

function compiled(pattern: string): Pattern | string {
  const literal = literalMatcher(pattern)
  if (literal) return { test: literal, stepsPerChar: 1, bytes: literalBytes }
  const size = patternSize(pattern)
  // the library would make sixty thousand instructions of so many characters
  if (size > limits.patternSize) return `the pattern is larger than ${limits.patternSize}`
  const made = linearPattern(pattern)
  if (typeof made === 'string') return refusal(pattern, made)
  const { test, instructions } = made
  return { test, stepsPerChar: 64 + 4 * instructions, bytes: ownBytes + unitBytes * size }
}

function refusal(pattern: string, problem: string): string {
  if (/\(\?<?[=!]/.test(pattern)) return 'look-around is not in the language of patterns (RE2)'
  if (/\\[1-9]|\\k</.test(pattern)) {
    return 'back-references are not in the language of patterns (RE2)'
  }
  return `the pattern is not a regular expression (RE2): ${problem}`
}

/** The pattern of this text; made by `make`, which may answer what is wrong with it instead, where it is not known. */
function knownPattern(text: string, make: (text: string) => Pattern | string): Pattern | string {
  const known = kept.get(text) ?? inUse.get(text)?.deref()
  const pattern = known ?? make(text)
  if (typeof pattern === 'string') return pattern
  kept.set(text, pattern)
  if (!known) {
    inUse.set(text, new WeakRef(pattern))
    dropped.register(pattern, text)
  }
  return pattern
}
