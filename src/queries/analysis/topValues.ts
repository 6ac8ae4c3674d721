/** Answers which values of a name an account's evaluations have most often, and what became of them. */

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
import { prepareScan, type ScanContext, type ScanRange, scanToEnd } from './scan/scan.ts'
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
    description: 'Those with the most evaluations; of as many, by their text.',
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
  { name: asked, limit, ...range }: TopQuery,
) {
  const name = toGroupName(asked)
  if (name === undefined) {
    throw invalidRequest([{ path: 'name', message: describeUngroupable(asked) }])
  }
  const plan = await prepareScan(context, call, { range, fold: { kind: 'top', name } })
  const sum = createTopSum()
  const span = { name, from: isoTime(plan.fromMs), to: isoTime(plan.toMs) }
  return {
    steps: scanToEnd(context, plan, 'top'),
    add: (folded: FoldedTop) => addTop(sum, folded),
    result: (): TopValuesView => ({ ...span, ...buildTop(sum, limit) }),
  }
}

interface SummedGroup extends TopCounts {
  /** By which its targets are told from those of other groups. */
  readonly id: number
  targets: number
}

/** What the slices of a scan came to, the newest first. */
interface TopSum {
  readonly values: Map<string, SummedGroup>
  /** Characters of the values. */
  chars: number
  readonly missing: SummedGroup
  readonly forgotten: SummedGroup
  /** Values that are not told apart. */
  readonly leftOut: TopCounts
  readonly all: TopCounts
  readonly pairs: PairTable
  valuesUntilMs?: number
  targetsUntilMs?: number
}

export function createTopSum(): TopSum {
  return {
    values: new Map(),
    chars: 0,
    missing: createSummedGroup(0),
    forgotten: createSummedGroup(1),
    leftOut: createTopCounts(),
    all: createTopCounts(),
    pairs: createPairTable(),
  }
}

function createSummedGroup(id: number): SummedGroup {
  return { ...createTopCounts(), id, targets: 0 }
}

export function addTop(sum: TopSum, folded: FoldedTop): void {
  const hashes = folded.targets.map(hashTarget)
  const sliceEndMs = folded.all.lastMs
  const addGroup = (to: SummedGroup, group: TopGroup) => {
    addTopCounts(to, group)
    if (countTargets(sum, to, { group, hashes }) === 'full') sum.targetsUntilMs ??= sliceEndMs
  }
  addTopCounts(sum.all, folded.all)
  addGroup(sum.missing, folded.missing)
  addGroup(sum.forgotten, folded.forgotten)
  for (const [value, group] of folded.values) {
    const to = findOrMakeGroup(sum, value)
    if (to) addGroup(to, group)
    else {
      addTopCounts(sum.leftOut, group)
      sum.valuesUntilMs ??= sliceEndMs
    }
  }
}

/** Undefined of a new value where too many are told apart. */
function findOrMakeGroup(sum: TopSum, value: string): SummedGroup | undefined {
  const { values } = sum
  const known = values.get(value)
  const chars = sum.chars + value.length
  if (known || values.size >= valuesMax || chars > charsMax) return known
  // the first two are those without a value
  const made = createSummedGroup(values.size + 2)
  values.set(value, made)
  sum.chars = chars
  return made
}

function countTargets(
  { pairs }: TopSum,
  to: SummedGroup,
  { group, hashes }: { readonly group: TopGroup; readonly hashes: readonly Hash[] },
): 'full' | undefined {
  let full: 'full' | undefined
  for (const index of group.targets) {
    const added = addPair(pairs, to.id, hashes[index] as Hash)
    if (added === 'new') to.targets += 1
    if (added === 'full') full = added
  }
  return full
}

/** The figures of the values with the most evaluations, and of all others. */
export function buildTop(sum: TopSum, limit: number): Omit<TopValuesView, 'name' | 'from' | 'to'> {
  const { values, missing, forgotten, leftOut, all, valuesUntilMs, targetsUntilMs } = sum
  const shown = pickFirst(values, limit)
  const others = createTopCounts()
  addTopCounts(others, leftOut)
  const shownGroups = new Set(shown.map(([, group]) => group))
  for (const group of values.values()) if (!shownGroups.has(group)) addTopCounts(others, group)
  const figuresOf = (counts: TopCounts, targets: number | null) =>
    computeFigures(counts, { all, targets })
  const isCut = valuesUntilMs !== undefined || targetsUntilMs !== undefined
  return {
    values: shown.map(([value, group]) => ({ value, ...figuresOf(group, group.targets) })),
    missing: figuresOf(missing, missing.targets),
    forgotten: figuresOf(forgotten, forgotten.targets),
    others: {
      values: valuesUntilMs === undefined ? values.size - shown.length : null,
      ...figuresOf(others, null),
    },
    all: figuresOf(all, null),
    ...(isCut && {
      cut: {
        ...(valuesUntilMs !== undefined && { values_until: isoTime(valuesUntilMs) }),
        ...(targetsUntilMs !== undefined && { targets_until: isoTime(targetsUntilMs) }),
      },
    }),
  }
}

type NamedGroup = readonly [value: string, group: SummedGroup]

/** The first so many, in order; sorting a hundred thousand would keep everyone waiting. */
function pickFirst(groups: Iterable<NamedGroup>, limit: number): readonly NamedGroup[] {
  const first: NamedGroup[] = []
  for (const group of groups) {
    const last = first.at(-1)
    if (first.length === limit && last && compareGroups(last, group) <= 0) continue
    let [from, to] = [0, first.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (compareGroups(first[middle] as NamedGroup, group) < 0) from = middle + 1
      else to = middle
    }
    first.splice(from, 0, group)
    if (first.length > limit) first.pop()
  }
  return first
}

function compareGroups([one, left]: NamedGroup, [other, right]: NamedGroup): number {
  return right.evaluations - left.evaluations || (one < other ? -1 : 1)
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
