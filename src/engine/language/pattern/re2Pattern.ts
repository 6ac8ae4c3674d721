/** Compiles RE2 patterns to matchers that run in linear time and bounded memory. */

import { LRUCache } from 'lru-cache'
import { RE2JS, RE2JSException } from 're2js'

type Compiled = ReturnType<RE2JS['re2']>
type States = Compiled['dfa']

export interface Re2Pattern {
  /** Whether the pattern occurs anywhere in the text. */
  readonly test: (text: string) => boolean
  readonly instructions: number
}

/** Bytes of states cached by one pattern while it runs, and by all patterns together with their instructions. */
const patternStatesBytes = 256 * 1024
export const dfaCacheBytesMax = 32 * 1024 * 1024
const instructionBytes = 500

/** Evicted patterns drop their states and compute them again as needed. */
const cached = new LRUCache<States, true>({
  maxSize: dfaCacheBytesMax,
  dispose: (_, states, reason) => {
    if (reason === 'evict') states.clearCache()
  },
})

/** The compiled pattern, or the problem with it; never throws. */
export function compileRe2Pattern(pattern: string): Re2Pattern | string {
  try {
    const compiled = RE2JS.compile(pattern).re2()
    const instructions = compiled.numberOfInstructions()
    const test = compiled.onepass
      ? (text: string) => compiled.match(text)
      : limitStates(compiled, instructions * instructionBytes)
    return { test, instructions }
  } catch (error) {
    return error instanceof RE2JSException ? error.message : 'it cannot be read'
  }
}

function limitStates(compiled: Compiled, programBytes: number): (text: string) => boolean {
  const states = compiled.dfa
  states.stateBudget = patternStatesBytes
  states.memBudget = patternStatesBytes
  let counted = 0
  return (text) => {
    const found = compiled.match(text)
    const bytes = patternStatesBytes - states.memBudget
    if (bytes !== counted) {
      counted = bytes
      // the same value set again would keep its former size
      cached.delete(states)
      cached.set(states, true, { size: bytes + programBytes })
    }
    return found
  }
}

/** Bytes of states cached now. */
export function dfaCacheBytes(): number {
  return cached.calculatedSize
}
