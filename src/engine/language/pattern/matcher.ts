/** Runs a pattern's program over a text in one pass: states are made when first needed and remembered (a lazy DFA). */

import { asserts, type Instruction, kinds, type Program } from './program.ts'

/** States remembered at a time; beyond, all are forgotten and made again. */
const statesMax = 128
/** Other transitions that one state remembers: by characters beyond ASCII, and those that end the search. */
const wideMax = 128

/** What stands before a place: nothing, a line end, a character of a word, another. */
type Before = 0 | 1 | 2 | 3
const begin: Before = 0
const other: Before = 3

interface State {
  /** The instructions to go on from, assertions not looked at yet. */
  readonly roots: readonly number[]
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
  const states = new Map<string, State>()
  const work = workOf(program)
  const matched = newState([], other)
  const dead = newState([], begin)

  const remember = (roots: readonly number[], before: Before): State => {
    if (roots.length === 0) return dead
    const key = before + String.fromCharCode(...roots)
    const known = states.get(key)
    if (known) return known
    if (states.size >= statesMax) states.clear()
    const made = newState(roots, before)
    states.set(key, made)
    return made
  }

  const make = (state: State, rune: number): State => {
    if (work.close(state.roots, assertsAt(state.before, kindOf(rune)))) return matched
    return remember(work.take(rune), program.asserting ? kindOf(rune) : other)
  }

  const step = (state: State, rune: number): State => {
    const next = state.wide.get(rune) ?? make(state, rune)
    if (rune < 128 && next !== matched && next !== dead) state.next[rune] = next
    else if (state.wide.size < wideMax) state.wide.set(rune, next)
    return next
  }

  const endsAt = (state: State): boolean => {
    state.atEnd ??= work.close(state.roots, assertsAt(state.before, begin))
    return state.atEnd
  }

  return { matched, dead, first: () => remember([program.start], begin), step, endsAt }
}

function newState(roots: readonly number[], before: Before): State {
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
  readonly close: (roots: readonly number[], held: number) => boolean
  /** The roots after a character, from where the last `close` got to. */
  readonly take: (rune: number) => number[]
}

function workOf({ instructions, start, anchored }: Program): Work {
  const seen = new Uint8Array(instructions.length)
  const stack: number[] = []

  const follow = (at: number): void => {
    if (seen[at] === 1) return
    seen[at] = 1
    stack.push(at)
  }

  const close = (roots: readonly number[], held: number): boolean => {
    seen.fill(0)
    stack.length = 0
    for (const root of roots) follow(root)
    while (stack.length > 0) {
      const instruction = instructions[stack.pop() ?? 0]
      if (instruction && advance(instruction, held, follow)) return true
    }
    return false
  }

  const take = (rune: number): number[] => {
    const next = new Set<number>(anchored ? [] : [start])
    for (let at = 0; at < seen.length; at++) {
      const instruction = seen[at] === 1 ? instructions[at] : undefined
      if (instruction && instruction.kind >= kinds.take && instruction.takes(rune)) {
        next.add(instruction.next)
      }
    }
    return [...next].sort((a, b) => a - b)
  }

  return { close, take }
}

/** Whether the instruction is a match; follows it where it takes no character. */
function advance(
  { kind, next, other: second }: Instruction,
  held: number,
  follow: (at: number) => void,
): boolean {
  if (kind === kinds.match) return true
  if (kind === kinds.either || kind === kinds.eitherMatch) {
    follow(next)
    follow(second)
  } else if (kind === kinds.capture || kind === kinds.nothing) follow(next)
  else if (kind === kinds.assert && (second & ~held) === 0) follow(next)
  return false
}
