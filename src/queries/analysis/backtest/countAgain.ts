/** Counts evaluations again, within bounds, to answer counters as of the past. */

import type { CounterWindow } from '../../../engine/language/counters.ts'
import type { Tally } from '../../../events/recording/tallies.ts'
import { findWindowStart, valuesMax } from '../../../projections/evaluation/counterGrains.ts'

/** Keys, and entries of all of them; of what is forgotten at the limit a tenth at the least. */
const countedKeysMax = 100_000
const entriesMax = 1_000_000
const keptShare = 0.9

/** Entries of a key that are added up once: most windows have them whole. */
const blockEntries = 128

/** What counts in one series under one key. */
interface Entry {
  readonly at: number
  readonly timeMs: number
  readonly counted: Tally[2]
}

/** Entries that follow one another. */
interface Block {
  readonly entries: Entry[]
  /** Their positions in the log lie between these. */
  firstAt: number
  lastAt: number
  /** Not a number once it was beyond the exact integers. */
  sum: number
  readonly values: Set<string>
}

interface CountedEvaluation {
  readonly at: number
  readonly timeMs: number
  readonly tallies: readonly Tally[]
}

/** What is asked of a counter. */
interface Asked {
  readonly series: string
  readonly key: string
  readonly window: CounterWindow
  readonly asOf: CountedAsOf
}

/** What counts for an evaluation of the past. */
export interface CountedAsOf {
  /** The time of its rules, at which windows end. */
  readonly timeMs: number
  /** Events up to here count. */
  readonly position: number
  /** Those before this time count: of an imported evaluation its own, as positions do not tell what was before it. */
  readonly beforeMs: number
}

/** Counts what is added in the order of time; answers nothing once it has too many keys or entries to keep. */
export function createRecount() {
  const blocksByKey = new Map<string, Block[]>()
  let entries = 0
  let neededMs = 0
  let isFull = false
  const forgetOld = (): void => {
    for (const [id, blocks] of blocksByKey) {
      const old = blocks.findIndex((block) => lastTime(block) >= neededMs)
      const gone = blocks.splice(0, old < 0 ? blocks.length : old)
      for (const block of gone) entries -= block.entries.length
      if (blocks.length === 0) blocksByKey.delete(id)
    }
  }
  const isBeyond = (share: number): boolean =>
    entries > entriesMax * share || blocksByKey.size > countedKeysMax * share
  return {
    add: ({ at, timeMs, tallies }: CountedEvaluation): void => {
      if (isFull || timeMs < neededMs) return
      for (const [series, key, counted] of tallies) {
        const id = `${series} ${key}`
        const blocks = blocksByKey.get(id) ?? []
        blocksByKey.set(id, blocks)
        addEntry(blocks, { at, timeMs, counted })
        entries += 1
      }
      if (!isBeyond(1)) return
      forgetOld()
      isFull = isBeyond(keptShare)
      if (isFull) blocksByKey.clear()
    },
    /** No question that follows has a window that begins before. */
    needFrom: (timeMs: number): void => {
      neededMs = timeMs
    },
    /** Undefined where it cannot be told. */
    answer: ({ series, key, window, asOf }: Asked): number | undefined => {
      if (isFull) return undefined
      const startMs = findWindowStart(window, asOf.timeMs)
      return countBlocks(blocksByKey.get(`${series} ${key}`) ?? [], startMs, asOf)
    },
    isFull: () => isFull,
  }
}

function addEntry(blocks: Block[], entry: Entry): void {
  const { at, counted } = entry
  let block = blocks.at(-1)
  if (!block || block.entries.length === blockEntries) {
    block = createBlock(at)
    blocks.push(block)
  }
  block.entries.push(entry)
  block.firstAt = Math.min(block.firstAt, at)
  block.lastAt = Math.max(block.lastAt, at)
  addCounted(block, counted)
}

function createBlock(at: number): Block {
  return { entries: [], firstAt: at, lastAt: at, sum: 0, values: new Set() }
}

function addCounted(block: Pick<Block, 'sum' | 'values'>, counted: Entry['counted']): void {
  if (typeof counted === 'string') block.values.add(counted)
  else block.sum = addExactly(block.sum, counted ?? 0)
}

function addExactly(one: number, other: number): number {
  const sum = one + other
  return Number.isSafeInteger(sum) ? sum : Number.NaN
}

function firstTime({ entries }: Block): number {
  return entries[0]?.timeMs ?? 0
}

function lastTime({ entries }: Block): number {
  return entries.at(-1)?.timeMs ?? 0
}

/** Of sums that are not exact nothing is to be known. */
function countBlocks(
  blocks: readonly Block[],
  startMs: number,
  asOf: CountedAsOf,
): number | undefined {
  const from = blocks.findLastIndex((block) => lastTime(block) < startMs) + 1
  const seen = new Set<string>()
  let sum = 0
  for (let index = from; index < blocks.length && seen.size <= valuesMax; index += 1) {
    const counted = countBlock(blocks[index] as Block, startMs, asOf)
    sum = addExactly(sum, counted.sum)
    for (const value of counted.values) seen.add(value)
  }
  if (Number.isNaN(sum)) return undefined
  return seen.size > 0 ? Math.min(seen.size, valuesMax + 1) : sum
}

/** What of the block counts: nothing, all, or some of its entries. */
function countBlock(
  block: Block,
  startMs: number,
  { position, beforeMs }: CountedAsOf,
): Pick<Block, 'sum' | 'values'> {
  const [firstMs, lastMs] = [firstTime(block), lastTime(block)]
  if (block.firstAt > position || firstMs >= beforeMs) return nothing
  if (firstMs >= startMs && block.lastAt <= position && lastMs < beforeMs) return block
  const some = createBlock(block.firstAt)
  for (const { at, timeMs, counted } of block.entries) {
    if (timeMs >= startMs && at <= position && timeMs < beforeMs) addCounted(some, counted)
  }
  return some
}

const nothing = { sum: 0, values: new Set<string>() }
