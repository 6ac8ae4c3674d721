/** Which characters the instructions of a machine take: told once for all that take the same. */

/** Whether a character (a code point) is taken. */
export type Taker = (rune: number) => boolean

/** An instruction as the library has it. */
export interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  /** One character, or pairs of the first and the last of a range. */
  readonly runes: readonly number[]
  readonly matchRune: (rune: number) => boolean
}

interface Takers {
  readonly takers: readonly Taker[]
  /** By instruction. */
  readonly taker: Uint16Array
  /** What the takers hold in memory. */
  readonly bytes: number
}

/** Of one taker, beside its ranges. */
const ownBytes = 200
/** Of one end of a range. */
const endBytes = 4

/** The takers of the instructions whose kind is this or above. */
export function takersOf(instructions: readonly Instruction[], fromKind: number): Takers {
  const takers: Taker[] = []
  const known = new Map<unknown, number>()
  const taker = new Uint16Array(instructions.length)
  let bytes = 0
  for (const [at, instruction] of instructions.entries()) {
    if (instruction.op < fromKind) continue
    const key = keyOf(instruction)
    const found = known.get(key)
    if (found === undefined) {
      known.set(key, takers.length)
      taker[at] = takers.length
      takers.push(takerOf(instruction))
      bytes += ownBytes + endBytes * instruction.runes.length
    } else taker[at] = found
  }
  return { takers, taker, bytes }
}

/** Characters and ends of ranges up to which equal ones are looked for. */
const comparedMax = 16

/** The copies that a repetition makes share their ranges; of few, the same are found wherever they stand. */
function keyOf({ runes, arg }: Instruction): unknown {
  return runes.length <= comparedMax ? `${arg} ${runes.join(' ')}` : runes
}

function takerOf(instruction: Instruction): Taker {
  const { runes, arg } = instruction
  const [only] = runes
  if (runes.length > 1) return within(Uint32Array.from(runes))
  // the flags say that its other cases are taken as well: the library knows them
  return arg === 0 ? (rune) => rune === only : (rune) => instruction.matchRune(rune)
}

function within(ranges: Uint32Array): Taker {
  return (rune) => {
    let low = 0
    let high = ranges.length >> 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (rune < (ranges[2 * middle] as number)) high = middle
      else if (rune > (ranges[2 * middle + 1] as number)) low = middle + 1
      else return true
    }
    return false
  }
}
