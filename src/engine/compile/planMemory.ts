/** Declares the memory of a plan's run: evidence by slot, failure and steps left of each rule. */

import type { ReadNode } from '../language/expression.ts'
import { parseTextByType } from '../language/operators/celFunctions.ts'
import { forgetCachedIp } from '../language/operators/domainFunctions.ts'
import type { ScalarValue, Value } from '../language/values/value.ts'
import type { Evidence } from '../run/evidence.ts'
import type { MissingName, MissingReason } from '../run/missingNames.ts'

export interface Memory {
  /** Evidence by slot; undefined where it did not arrive. */
  readonly cells: (ScalarValue | undefined)[]
  /** Loop variables, outermost first. */
  readonly locals: Value[]
  /** Values of operations that are computed once a run. */
  readonly memoized: (ScalarValue | undefined)[]
  /** Number of the current run: values cached by an earlier one do not count. */
  run: number
  /** Whether the current rule has failed. */
  hasFailed: boolean
  /** The name to report for the failed rule; undefined when no name is the cause. */
  blockedBy: string | undefined
  /** The names that the last rule without outcome was not evaluated for. */
  missing: readonly MissingName[]
  /** One object for each name and reason, by both. */
  readonly missingNames: Map<string, MissingName>
  /** Steps left to the current rule, when they are counted. */
  stepsLeft: number
  /** Steps left to all counted rules of the run. */
  runStepsLeft: number
}

export function newMemory(): Memory {
  return {
    cells: [],
    locals: [],
    memoized: [],
    run: 0,
    hasFailed: false,
    blockedBy: undefined,
    missing: [],
    missingNames: new Map(),
    stepsLeft: 0,
    runStepsLeft: 0,
  }
}

/** Empties the memory after a run: a plan outlives the person whom it was run for, and their erasure. */
export function forgetRun(memory: Memory): void {
  const { cells, locals, memoized } = memory
  // a run that is paused sees that it has to load its evidence again
  memory.run += 1
  cells.fill(undefined)
  locals.fill('')
  memoized.fill(undefined)
  forgetCachedIp()
}

/** Records that the current rule has failed; the first failure counts. */
export function failRule(memory: Memory, blockedBy: string | undefined): void {
  if (memory.hasFailed) return
  memory.hasFailed = true
  memory.blockedBy = blockedBy
}

/** The name with the reason, the same object each time. */
export function findMissingName(
  { missingNames }: Memory,
  name: string,
  reason: MissingReason,
): MissingName {
  const key = `${reason} ${name}`
  const found = missingNames.get(key) ?? { name, reason }
  missingNames.set(key, found)
  return found
}

/** Subtracts steps; returns false and fails the rule when too few were left. */
export function spendSteps(memory: Memory, steps: number): boolean {
  memory.stepsLeft -= steps
  if (memory.stepsLeft >= 0) return true
  failRule(memory, undefined)
  return false
}

export interface EvidenceSlots {
  /** Names that have a slot, in the order they were added. */
  readonly names: () => readonly string[]
  /** The slot of a name as received, or of a conversion of it; added when new. */
  readonly getOrAddSlot: (name: string, convert?: ReadNode['convert']) => number
  /** Fills the memory and returns the number of empty slots. Empty texts and failed conversions count as missing. */
  readonly load: (evidence: Evidence, memory: Memory) => number
}

interface Arrival {
  readonly name: string
  readonly slot: number
}

interface Conversion {
  readonly from: number
  readonly slot: number
  readonly convert: (text: string) => ScalarValue | undefined
}

export function newEvidenceSlots(): EvidenceSlots {
  const known = new Map<string, number>()
  const arrivals: Arrival[] = []
  const conversions: Conversion[] = []

  const getOrAddSlot: EvidenceSlots['getOrAddSlot'] = (name, convert) => {
    // names never contain `int ` and the like in front
    const key = convert === undefined ? name : `${convert} ${name}`
    const found = known.get(key)
    if (found !== undefined) return found
    const from = convert === undefined ? -1 : getOrAddSlot(name)
    const slot = known.size
    known.set(key, slot)
    if (convert === undefined) arrivals.push({ name, slot })
    else conversions.push({ from, slot, convert: parseTextByType[convert] })
    return slot
  }

  return {
    names: () => arrivals.map(({ name }) => name),
    getOrAddSlot,
    load: (evidence, { cells }) =>
      loadArrivals(arrivals, evidence, cells) + loadConversions(conversions, cells),
  }
}

type Cells = Memory['cells']

function loadArrivals(arrivals: readonly Arrival[], evidence: Evidence, cells: Cells): number {
  let empty = 0
  for (const { name, slot } of arrivals) {
    const value = evidence.get(name)?.value
    const arrived = value === '' ? undefined : value
    cells[slot] = arrived
    if (arrived === undefined) empty += 1
  }
  return empty
}

function loadConversions(conversions: readonly Conversion[], cells: Cells): number {
  let empty = 0
  for (const { from, slot, convert } of conversions) {
    const text = cells[from]
    const converted = typeof text === 'string' ? convert(text) : undefined
    cells[slot] = converted
    if (converted === undefined) empty += 1
  }
  return empty
}
