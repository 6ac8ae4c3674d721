/** Assigns slots in memory: one for each name as received, one for each conversion of it. */

import type { ReadNode } from '../language/expression.ts'
import { ofText } from '../language/operators/conversion.ts'
import type { Cell } from '../language/values/value.ts'
import type { Evidence } from '../run/evidence.ts'
import type { Memory } from './memory.ts'

export interface Slots {
  /** Names by slot of arrival, in the order they were first asked for. */
  readonly names: () => readonly string[]
  readonly slotOf: (name: string, convert?: ReadNode['convert']) => number
  /** Fills the memory; answers how many slots stay empty. An empty text did not arrive, nor what does not convert. */
  readonly load: (evidence: Evidence, memory: Memory) => number
}

interface Arrival {
  readonly name: string
  readonly slot: number
}

interface Conversion {
  readonly from: number
  readonly slot: number
  readonly convert: (text: string) => Cell | undefined
}

/** An empty table of slots. */
export function newSlots(): Slots {
  const known = new Map<string, number>()
  const arrivals: Arrival[] = []
  const conversions: Conversion[] = []

  const slotOf: Slots['slotOf'] = (name, convert) => {
    const key = `${convert ?? ''} ${name}`
    const found = known.get(key)
    if (found !== undefined) return found
    const from = convert === undefined ? -1 : slotOf(name)
    const slot = known.size
    known.set(key, slot)
    if (convert === undefined) arrivals.push({ name, slot })
    else conversions.push({ from, slot, convert: ofText[convert] })
    return slot
  }

  return {
    names: () => arrivals.map(({ name }) => name),
    slotOf,
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
