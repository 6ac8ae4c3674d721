/** A regular expression made ready to run, in time linear to the text. */

import { LRUCache } from 'lru-cache'
import { limits } from '../limits.ts'
import { literalMatcher } from './literal.ts'
import { matcherOf } from './matcher.ts'
import { programOf } from './program.ts'

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
  /** What it holds in memory, without the states that it makes while it runs. */
  readonly bytes: number
}

/** The pattern ready to run, or what is wrong with it. Semantics and syntax of RE2; never throws. */
export function compilePattern(pattern: string): Pattern | string {
  if (pattern.length > limits.patternChars) {
    return `the pattern is longer than ${limits.patternChars} characters`
  }
  return knownPattern(pattern, compiled)
}

/** What a pattern that needs no machine holds at most. */
const literalBytes = 2048

function compiled(pattern: string): Pattern | string {
  const literal = literalMatcher(pattern)
  if (literal) return { test: literal, stepsPerChar: 1, bytes: literalBytes }
  const program = programOf(pattern)
  if (typeof program === 'string') return program
  const matches = matcherOf(program)
  const { prefilter, instructions, bytes } = program
  return {
    test: prefilter ? (text) => prefilter(text) && matches(text) : matches,
    stepsPerChar: 64 + 4 * instructions,
    bytes,
  }
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
