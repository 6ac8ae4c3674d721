/** Answers which values of a name evaluations have most often, and what became of them. */

import type { Call } from '../../domain/call.ts'
import { invalidRequest } from '../../domain/failure.ts'
import {
  countSchema,
  type ObjectOf,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  addTopCounts,
  createTopCounts,
  type FoldedTop,
  type TopCounts,
  type TopGroup,
} from './scan/foldTop.ts'
import { prepareScan, runScan, type ScanContext, type ScanRange } from './scan/scan.ts'
import { describeUngroupable, toGroupName } from './scan/where.ts'
import { addPair, createPairTable, type Hash, hashTarget, type PairTable } from './targetPairs.ts'

const rate = { type: ['number', 'null'] } as const
const seen = { type: ['string', 'null'], description: 'ISO 8601 UTC; null of none.' } as const

const figureFields = {
  evaluations: countSchema,
  flagged: countSchema,
  share: { ...rate, description: 'Of the evaluations, those flagged, 0 to 1; null of none.' },
  partial: {
    ...countSchema,
    description: 'Evaluations in which a rule of a live recipe was not evaluated.',
  },
  lift: {
    ...rate,
    description:
      'The share over that of all evaluations that match; null where one of the two has no value, or none was flagged.',
  },
  targets: {
    type: ['integer', 'null'],
    description:
      'Distinct end users: the phone number, else the address. Null of several values together.',
  },
  first_seen: seen,
  last_seen: seen,
} as const
type Figures = ObjectOf<typeof figureFields>

const topFigures = openObject('TopFigures', figureFields)

export const topValuesSchema = openObject('TopValues', {
  name: text,
  from: timeSchema,
  to: timeSchema,
  values: {
    type: 'array',
    items: openObject('TopValue', { value: text, ...figureFields }),
    description: 'Those with the most evaluations; of as many, the last seen first.',
  },
  missing: topFigures,
  forgotten: topFigures,
  others: openObject('OtherValues', {
    values: {
      type: ['integer', 'null'],
      description: 'How many values stand here; null where not all were told apart.',
    },
    ...figureFields,
  }),
  all: topFigures,
  cut: optional(
    openObject('TopCut', {
      values_until: optional({
        ...timeSchema,
        description: 'Values met only up to this time were not told apart: they are in `others`.',
      }),
      targets_until: optional({
        ...timeSchema,
        description: 'Distinct end users met only up to this time are not counted.',
      }),
    }),
  ),
})
export type TopValuesView = TypeOf<typeof topValuesSchema>

export interface TopQuery extends Pick<ScanRange, 'where' | 'fromMs' | 'toMs'> {
  readonly name: string
  /** Values that are shown. */
  readonly limit: number
}

/** Values that are told apart, and their characters together. */
export const valuesMax = 100_000
const charsMax = 8 * 1024 * 1024

/** Prepares the question: its steps, and the sum of them. Throws `invalid_request` for a name, and as `prepareScan`. */
export async function findTopValues(
  context: ScanContext,
  call: Call,
  { signal, name: asked, limit, ...range }: TopQuery & { readonly signal: AbortSignal },
) {
  const name = toGroupName(asked)
  if (name === undefined) {
    throw invalidRequest([{ path: 'name', message: describeUngroupable(asked) }])
  }
  const plan = await prepareScan(context, call, { range, fold: { kind: 'top', name } })
  const sum = createTopSum()
  const span = { name, from: isoTime(plan.fromMs), to: isoTime(plan.toMs) }
  return {
    steps: runScan(context, plan, { kind: 'top', signal }),
    add: (folded: FoldedTop) => addTop(sum, folded),
    result: (): TopValuesView => ({ ...span, ...buildTop(sum, limit) }),
  }
}

/** What the slices of a scan came to, the newest first. */
interface TopSum {
  /** The group of each value. */
  readonly values: Map<string, number>
  /** Characters of the values. */
  chars: number
  /** Of each group `width` figures: objects would take twice as much memory. */
  figures: Float64Array
  readonly pairs: PairTable
  /** Values that are not told apart. */
  readonly leftOut: TopCounts
  readonly all: TopCounts
  valuesUntilMs?: number
  targetsUntilMs?: number
}

/** The groups without a value; those of values follow. */
const missingGroup = 0
const forgottenGroup = 1
const valueGroups = 2
/** Evaluations, flagged, partial, first and last time, distinct targets. */
const width = 6
const groupsAtFirst = 64

export function createTopSum(): TopSum {
  return {
    values: new Map(),
    chars: 0,
    figures: new Float64Array(groupsAtFirst * width),
    pairs: createPairTable(),
    leftOut: createTopCounts(),
    all: createTopCounts(),
  }
}

type SummedGroup = TopCounts & { readonly targets: number }

function readGroup({ figures }: TopSum, id: number): SummedGroup {
  const [evaluations = 0, flagged = 0, partial = 0, firstMs = 0, lastMs = 0, targets = 0] =
    figures.subarray(id * width, (id + 1) * width)
  if (evaluations === 0) return { ...createTopCounts(), targets }
  return { evaluations, flagged, partial, firstMs, lastMs, targets }
}

function writeGroup(sum: TopSum, id: number, group: SummedGroup): void {
  const { evaluations, flagged, partial, firstMs, lastMs, targets } = group
  if (sum.figures.length < (id + 1) * width) {
    const { figures } = sum
    sum.figures = new Float64Array(2 * figures.length)
    sum.figures.set(figures)
  }
  sum.figures.set([evaluations, flagged, partial, firstMs, lastMs, targets], id * width)
}

export function addTop(sum: TopSum, folded: FoldedTop): void {
  const hashes = folded.targets.map(hashTarget)
  const sliceEndMs = folded.all.lastMs
  const addGroup = (id: number, group: TopGroup) => {
    const added = countTargets(
      sum,
      id,
      group.targets.map((index) => hashes[index] as Hash),
    )
    const known = readGroup(sum, id)
    addTopCounts(known, group)
    writeGroup(sum, id, { ...known, targets: known.targets + added.count })
    if (added.isFull) sum.targetsUntilMs ??= sliceEndMs
  }
  addTopCounts(sum.all, folded.all)
  addGroup(missingGroup, folded.missing)
  addGroup(forgottenGroup, folded.forgotten)
  for (const [value, group] of folded.values) {
    const id = findOrMakeGroup(sum, value)
    if (id !== undefined) addGroup(id, group)
    else {
      addTopCounts(sum.leftOut, group)
      sum.valuesUntilMs ??= sliceEndMs
    }
  }
}

/** Undefined of a new value where too many are told apart. */
function findOrMakeGroup(sum: TopSum, value: string): number | undefined {
  const { values } = sum
  const known = values.get(value)
  const chars = sum.chars + value.length
  if (known !== undefined || values.size >= valuesMax || chars > charsMax) return known
  const id = valueGroups + values.size
  values.set(value, id)
  sum.chars = chars
  return id
}

/** How many of the targets are new to the group. */
function countTargets(
  { pairs }: TopSum,
  id: number,
  targets: readonly Hash[],
): { readonly count: number; readonly isFull: boolean } {
  let count = 0
  let isFull = false
  for (const target of targets) {
    const added = addPair(pairs, id, target)
    if (added === 'new') count += 1
    if (added === 'full') isFull = true
  }
  return { count, isFull }
}

/** The figures of the values with the most evaluations, and of all others. */
export function buildTop(sum: TopSum, limit: number): Omit<TopValuesView, 'name' | 'from' | 'to'> {
  const { values, figures, leftOut, all, valuesUntilMs, targetsUntilMs } = sum
  const names = [...values.keys()]
  const evaluationsOf = (id: number) => figures[id * width] ?? 0
  const ranked = names
    .map((_, index) => valueGroups + index)
    .sort((one, other) => evaluationsOf(other) - evaluationsOf(one))
  const rest = ranked.splice(limit)
  const others = createTopCounts()
  addTopCounts(others, leftOut)
  for (const id of rest) addTopCounts(others, readGroup(sum, id))
  const figuresOf = (counts: TopCounts, targets: number | null) =>
    computeFigures(counts, { all, targets })
  const figuresOfGroup = (id: number) => {
    const group = readGroup(sum, id)
    return figuresOf(group, group.targets)
  }
  const cut = {
    ...(valuesUntilMs !== undefined && { values_until: isoTime(valuesUntilMs) }),
    ...(targetsUntilMs !== undefined && { targets_until: isoTime(targetsUntilMs) }),
  }
  return {
    values: ranked.map((id) => ({
      value: names[id - valueGroups] ?? '',
      ...figuresOfGroup(id),
    })),
    missing: figuresOfGroup(missingGroup),
    forgotten: figuresOfGroup(forgottenGroup),
    others: {
      values: valuesUntilMs === undefined ? rest.length : null,
      ...figuresOf(others, null),
    },
    all: figuresOf(all, null),
    ...(Object.keys(cut).length > 0 && { cut }),
  }
}

function computeFigures(
  { evaluations, flagged, partial, firstMs, lastMs }: TopCounts,
  { all, targets }: { readonly all: TopCounts; readonly targets: number | null },
): Figures {
  const isNone = evaluations === 0
  return {
    evaluations,
    flagged,
    share: isNone ? null : flagged / evaluations,
    partial,
    // in one division, so that the lift of all is 1 exactly
    lift:
      isNone || all.flagged === 0
        ? null
        : (flagged * all.evaluations) / (evaluations * all.flagged),
    targets,
    first_seen: isNone ? null : isoTime(firstMs),
    last_seen: isNone ? null : isoTime(lastMs),
  }
}
