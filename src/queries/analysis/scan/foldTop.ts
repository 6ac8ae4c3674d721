/** Folds evaluations by the values that they have under a name. */

import type { Fold } from './folds.ts'
import { isAnswerPartial, type ScannedEvaluation } from './scanNames.ts'
import { type Matcher, needsOf, readValues } from './where.ts'

export interface TopOrder {
  /** A name of the evaluation or of its evidence. */
  readonly name: string
}

/** Evaluations of a slice that have something in common. */
export interface TopCounts {
  evaluations: number
  flagged: number
  /** Those in which a rule of a live recipe was not evaluated. */
  partial: number
  /** Of the clock that the rules saw, in milliseconds since the Unix epoch; infinite of none. */
  firstMs: number
  lastMs: number
}

/** The same with its distinct targets, as indexes of `FoldedTop.targets`. */
export interface TopGroup extends TopCounts {
  readonly targets: readonly number[]
}

/** What a slice comes to. An evaluation with several values is in the group of each. */
export interface FoldedTop {
  /** The keyed digest of each target: of its number, else of its address. */
  readonly targets: readonly string[]
  /** In the order in which the scan met them. */
  readonly values: readonly (readonly [value: string, group: TopGroup])[]
  /** Those without a value. */
  readonly missing: TopGroup
  /** Those whose value is gone with the person. */
  readonly forgotten: TopGroup
  readonly all: TopCounts
}

export function createTopCounts(): TopCounts {
  const none = { evaluations: 0, flagged: 0, partial: 0 }
  return { ...none, firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY }
}

export function addTopCounts(sum: TopCounts, counts: TopCounts): void {
  sum.evaluations += counts.evaluations
  sum.flagged += counts.flagged
  sum.partial += counts.partial
  sum.firstMs = Math.min(sum.firstMs, counts.firstMs)
  sum.lastMs = Math.max(sum.lastMs, counts.lastMs)
}

interface Group {
  readonly counts: TopCounts
  readonly targets: Set<number>
}

export function foldTop({ name }: TopOrder, _: Matcher): Fold<FoldedTop> {
  const targets = new Map<string, number>()
  const values = new Map<string, Group>()
  const [missing, forgotten] = [createGroup(), createGroup()]
  const all = createTopCounts()
  return {
    needs: needsOf(name),
    add: (one) => {
      const counts = countOne(one)
      addTopCounts(all, counts)
      const target = indexTarget(targets, one)
      const found = one.isForgotten ? [] : new Set(readValues(name, one))
      const groups = [...found].map((value) => requireGroup(values, value))
      const none = one.isForgotten ? forgotten : missing
      for (const group of groups.length > 0 ? groups : [none]) {
        addTopCounts(group.counts, counts)
        if (target !== undefined) group.targets.add(target)
      }
    },
    take: () => ({
      targets: [...targets.keys()],
      values: [...values].map(([value, group]) => [value, takeGroup(group)] as const),
      missing: takeGroup(missing),
      forgotten: takeGroup(forgotten),
      all,
    }),
  }
}

function countOne(one: ScannedEvaluation): TopCounts {
  const { verdict, time } = one.body
  const flagged = verdict === 'FLAG' ? 1 : 0
  const partial = isAnswerPartial(one) ? 1 : 0
  return { evaluations: 1, flagged, partial, firstMs: time, lastMs: time }
}

function indexTarget(
  targets: Map<string, number>,
  { body }: ScannedEvaluation,
): number | undefined {
  const target = body.phone_digest ?? body.email_digest
  if (target === undefined) return undefined
  const index = targets.get(target) ?? targets.size
  targets.set(target, index)
  return index
}

function createGroup(): Group {
  return { counts: createTopCounts(), targets: new Set() }
}

function requireGroup(groups: Map<string, Group>, value: string): Group {
  const group = groups.get(value) ?? createGroup()
  groups.set(value, group)
  return group
}

function takeGroup({ counts, targets }: Group): TopGroup {
  return { ...counts, targets: [...targets] }
}
