/** Compiles and runs regular expressions in linear time; the only module that uses RE2. */

import { RE2JS, RE2JSException } from 're2js'

type Compiled = ReturnType<RE2JS['re2']>
type States = Compiled['dfa']

export interface LinearPattern {
  /** Whether the pattern occurs anywhere in the text. */
  readonly test: (text: string) => boolean
  readonly instructions: number
}

/** Bytes of states that one pattern remembers while it runs, and that all of them do together; the library's own count. */
const patternStatesBytes = 256 * 1024
export const statesBytesMax = 32 * 1024 * 1024

/** The compiled pattern, or the problem with it; never throws. */
export function linearPattern(pattern: string): LinearPattern | string {
  try {
    const compiled = RE2JS.compile(pattern).re2()
    return {
      test: compiled.onepass ? (text) => compiled.match(text) : boundedTest(compiled),
      instructions: compiled.numberOfInstructions(),
    }
  } catch (error) {
    return error instanceof RE2JSException ? error.message : 'it cannot be read'
  }
}

function boundedTest(compiled: Compiled): (text: string) => boolean {
  const states = compiled.dfa
  states.stateBudget = patternStatesBytes
  states.memBudget = patternStatesBytes
  const holder: Holder = { states: new WeakRef(states), bytes: 0 }
  return (text) => {
    const found = compiled.match(text)
    const bytes = patternStatesBytes - states.memBudget
    if (bytes !== holder.bytes) hold(holder, bytes)
    return found
  }
}

interface Holder {
  /** Weak, since a pattern that nobody has any more would stay only for its count. */
  readonly states: WeakRef<States>
  /** What of it is counted. */
  bytes: number
}

let held = 0
const holders = new Set<Holder>()

/** Counts what a pattern remembers; when it is too much over all, every pattern forgets its states and makes them again as needed. */
function hold(holder: Holder, bytes: number): void {
  held += bytes - holder.bytes
  holder.bytes = bytes
  holders.add(holder)
  if (held <= statesBytesMax) return
  for (const each of holders) {
    each.states.deref()?.clearCache()
    each.bytes = 0
  }
  holders.clear()
  held = 0
}

/** Bytes of states cached now. */
export function heldStatesBytes(): number {
  return held
}
