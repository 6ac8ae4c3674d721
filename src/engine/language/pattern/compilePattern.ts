/** A regular expression made ready to run, in time linear to the text. */

import { limits } from '../limits.ts'
import { knownPattern } from './knownPatterns.ts'
import { literalMatcher } from './literal.ts'
import { matcherOf } from './matcher.ts'
import { programOf } from './program.ts'

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
