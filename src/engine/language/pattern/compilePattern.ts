/** A regular expression made ready to run, in time linear to the text. */

import { limits } from '../limits.ts'
import { literalMatcher } from './literal.ts'
import { matcherOf } from './matcher.ts'
import { programOf } from './program.ts'

export interface Pattern {
  /** Whether the pattern occurs anywhere in the text. */
  readonly test: (text: string) => boolean
  /** Steps that one character of the text can cost. */
  readonly stepsPerChar: number
}

/** The pattern ready to run, or what is wrong with it. Semantics and syntax of RE2; never throws. */
export function compilePattern(pattern: string): Pattern | string {
  if (pattern.length > limits.patternChars) {
    return `the pattern is longer than ${limits.patternChars} characters`
  }
  const literal = literalMatcher(pattern)
  if (literal) return { test: literal, stepsPerChar: 1 }
  const program = programOf(pattern)
  if (typeof program === 'string') return program
  const matches = matcherOf(program)
  const { prefilter, instructions } = program
  return {
    test: prefilter ? (text) => prefilter(text) && matches(text) : matches,
    stepsPerChar: 64 + 4 * instructions.length,
  }
}
