/** Runs a pattern's program over a text in one pass: states are made when first needed and remembered (a lazy DFA). */

import { asserts, kinds, type Program } from './program.ts'

/** Bytes, by estimate. */
export const statesBytesMax = 32 * 1024 * 1024

/** States remembered at a time, and what they may hold; beyond, all are forgotten and made again. */
const statesMax = 128
const bytesMax = 256 * 1024
/** Other transitions that one state remembers: by characters beyond ASCII, and those that end the search. */
const wideMax = 128
/** What a state holds beside its roots, for each of these, and for one of its other transitions. */
const stateBytes = 1400
const rootBytes = 4
const wideBytes = 64

/** What stands before a place: nothing, a line end, a character of a word, another. */
type Before = 0 | 1 | 2 | 3
const begin: Before = 0
const other: Before = 3

interface State {
  /** The instructions to go on from, assertions not looked at yet. */
  readonly roots: Uint16Array
  readonly before: Before
  /** By ASCII code, where the search goes on; `wide` has the rest. */
  readonly next: (State | undefined)[]
  readonly wide: Map<number, State>
  /** Whether the text may end here; undefined while nobody asked. */
  atEnd: boolean | undefined
}

/** Whether the pattern occurs in a text. Linear in the text's length; the work per character is bounded by the program. */
export function matcherOf(program: Program): (text: string) => boolean {
  const machine = machineOf(program)
  return (text) => occursIn(text, machine)
}

function occursIn(text: string, machine: Machine): boolean {
  let state = machine.first()
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const next = state.next[unit]
    if (next !== undefined) {
      state = next
      continue
    }
    const rune = unit < 0xd800 ? unit : (text.codePointAt(at) ?? unit)
    state = machine.step(state, rune)
    if (state === machine.matched || state === machine.dead) return state === machine.matched
    if (rune > 0xffff) at += 1
  }
  return machine.endsAt(state)
}

interface Machine {
  /** The state that a match leads to, and the one that no match can follow. */
  readonly matched: State
  readonly dead: State
  /** Where a text begins. */
  readonly first: () => State
  readonly step: (state: State, rune: number) => State
  /** Whether there is a match when the text ends here. */
  readonly endsAt: (state: State) => boolean
}

function machineOf(program: Program): Machine {
  const states = rememberedStates()
  const work = workOf(program)
  const matched = newState(none, other)
  const dead = newState(none, begin)
  const first = Uint16Array.of(program.start)

  const remember = (roots: Uint16Array, before: Before): State => {
    if (roots.length === 0) return dead
    return states.remember(before + String.fromCharCode(...roots), () => newState(roots, before))
  }

  const make = (state: State, rune: number): State => {
    if (work.close(state.roots, assertsAt(state.before, kindOf(rune)))) return matched
    return remember(work.take(rune), program.asserting ? kindOf(rune) : other)
  }

  const step = (state: State, rune: number): State => {
    const next = state.wide.get(rune) ?? make(state, rune)
    if (rune < 128 && next !== matched && next !== dead) state.next[rune] = next
    else if (state.wide.size < wideMax) {
      state.wide.set(rune, next)
      states.hold(wideBytes)
    }
    return next
  }

  const endsAt = (state: State): boolean => {
    state.atEnd ??= work.close(state.roots, assertsAt(state.before, begin))
    return state.atEnd
  }

  return { matched, dead, first: () => remember(first, begin), step, endsAt }
}

const none = new Uint16Array(0)

interface RememberedStates {
  /** The state under the key, made when it is not remembered. */
  readonly remember: (key: string, make: () => State) => State
  /** Counts more bytes that the states hold. */
  readonly hold: (bytes: number) => void
}

/** Bounded by number and by bytes, its own and those of all patterns together. */
function rememberedStates(): RememberedStates {
  const states = new Map<string, State>()
  let held = 0
  const forget = (): void => {
    states.clear()
    held = 0
  }
  const hold = (bytes: number): void => {
    holdStates(bytes, forget)
    held += bytes
  }
  return {
    remember: (key, make) => {
      const known = states.get(key)
      if (known) return known
      if (states.size >= statesMax || held >= bytesMax) {
        letGoOfStates(held, forget)
        forget()
      }
      const made = make()
      hold(stateBytes + rootBytes * made.roots.length)
      states.set(key, made)
      return made
    },
    hold,
  }
}

function newState(roots: Uint16Array, before: Before): State {
  return { roots, before, next: new Array(128).fill(undefined), wide: new Map(), atEnd: undefined }
}

function kindOf(rune: number): Before {
  if (rune === 10) return 1
  const word =
    (rune >= 97 && rune <= 122) ||
    (rune >= 65 && rune <= 90) ||
    (rune >= 48 && rune <= 57) ||
    rune === 95
  return word ? 2 : other
}

/** The assertions that hold between two characters; no character (`begin`) stands for either end of the text. */
function assertsAt(before: Before, after: Before): number {
  let held = (before === 2) === (after === 2) ? asserts.noWordBoundary : asserts.wordBoundary
  if (before === begin) held |= asserts.beginText
  if (before <= 1) held |= asserts.beginLine
  if (after === begin) held |= asserts.endText
  if (after <= 1) held |= asserts.endLine
  return held
}

interface Work {
  /** Follows the roots as far as they go without a character; true when that reaches a match. */
  readonly close: (roots: Uint16Array, held: number) => boolean
  /** The roots after a character, from where the last `close` got to. */
  readonly take: (rune: number) => Uint16Array
}

function workOf(program: Program): Work {
  const { start, anchored, kinds: kind, next, other: second } = program
  const seen = new Uint8Array(program.instructions)
  const stack: number[] = []

  const follow = (at: number): void => {
    if (seen[at] === 1) return
    seen[at] = 1
    stack.push(at)
  }

  /** Whether the instruction is a match; follows it where it takes no character. */
  const advance = (at: number, held: number): boolean => {
    switch (kind[at]) {
      case kinds.match:
        return true
      case kinds.either:
      case kinds.eitherMatch:
        follow(next[at] as number)
        follow(second[at] as number)
        return false
      case kinds.assert:
        if (((second[at] as number) & ~held) === 0) follow(next[at] as number)
        return false
      case kinds.capture:
      case kinds.nothing:
        follow(next[at] as number)
        return false
      default:
        return false
    }
  }

  const close = (roots: Uint16Array, held: number): boolean => {
    seen.fill(0)
    stack.length = 0
    for (const root of roots) follow(root)
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (advance(at, held)) return true
    }
    return false
  }

  const take = (rune: number): Uint16Array => {
    const roots = new Set<number>(anchored ? [] : [start])
    const taken = takenBy(program, rune)
    for (let at = 0; at < seen.length; at++) {
      if (seen[at] === 1 && taken(at)) roots.add(next[at] as number)
    }
    return Uint16Array.from(roots).sort()
  }

  return { close, take }
}

/** Whether an instruction takes the character; asks each taker once. */
function takenBy({ kinds: kind, taker, takers }: Program, rune: number): (at: number) => boolean {
  const answers: (boolean | undefined)[] = []
  return (at) => {
    if ((kind[at] as number) < kinds.take) return false
    const asked = taker[at] as number
    const taken = answers[asked] ?? takers[asked]?.(rune) === true
    answers[asked] = taken
    return taken
  }
}

let held = 0
const holders = new Set<() => void>()

/**
 * Counts bytes that a pattern is about to hold in states. When that is more than all may hold together, every pattern forgets its
 * states, by the `forget` that it gave; they are made again where they are needed.
 */
function holdStates(bytes: number, forget: () => void): void {
  if (held + bytes > statesBytesMax) {
    for (const each of holders) each()
    holders.clear()
    held = 0
  }
  held += bytes
  holders.add(forget)
}

/** Counts bytes that a pattern does not hold any more: all that it has. */
function letGoOfStates(bytes: number, forget: () => void): void {
  held -= bytes
  holders.delete(forget)
}

/** Bytes held now. */
export function heldStatesBytes(): number {
  return held
}
