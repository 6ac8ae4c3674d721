/** Answers which evidence was missing in evaluations, and what arrived that no rule reads. */

import type { Call } from '../../domain/call.ts'
import {
  booleanSchema,
  countSchema,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { type LoadContext, pauseLongWork } from '../../domain/load/scheduler.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { formatExtName, parseExtKey } from '../../engine/language/readableNames.ts'
import { isNear } from '../../state/rulebook/arrivedKeyWarnings.ts'
import {
  addKeyCounts,
  addMissingCounts,
  createKeyCounts,
  createMissingCounts,
  type FoldedMissing,
  findOrMake,
  type KeyCounts,
  type MissingCounts,
} from './scan/foldMissing.ts'
import { prepareScan, runScan, type ScanContext, type ScanRange } from './scan/scan.ts'

const length = { type: ['integer', 'null'], description: 'Characters; null of no value.' } as const

export const missingReportSchema = openObject('MissingReport', {
  from: timeSchema,
  to: timeSchema,
  evaluations: { ...countSchema, description: 'All that match.' },
  forgotten: { ...countSchema, description: 'Those whose values are gone with the person.' },
  names: {
    type: 'array',
    items: openObject('MissingInEvaluations', {
      name: { ...text, description: '`missing_data` is all that managed rules wait for.' },
      evaluations: { ...countSchema, description: 'In which a rule waited for it.' },
      share: { type: ['number', 'null'], description: 'Of all that match, 0 to 1.' },
      fragile: {
        ...countSchema,
        description: 'Those of them whose verdict the missing evidence could turn.',
      },
    }),
  },
  keys: {
    type: 'array',
    items: openObject('ArrivedKey', {
      key: { ...text, description: 'Of `signals.ext`.' },
      evaluations: { ...countSchema, description: 'In which it arrived.' },
      forms: openObject('ValueForms', {
        number: countSchema,
        boolean: countSchema,
        date: countSchema,
        text: countSchema,
        empty: { ...countSchema, description: 'Nothing but white space.' },
      }),
      shortest: length,
      longest: length,
      read: { ...booleanSchema, description: 'Whether a rule of the account reads it.' },
      near: {
        type: 'array',
        items: text,
        description:
          'Of a key that no rule reads: names that were missing, at most two edits away from it.',
      },
    }),
  },
  left_out: optional(
    openObject('MissingLeftOut', {
      names: { ...countSchema, description: 'How often a name was not counted.' },
      keys: { ...countSchema, description: 'How often a key was not counted.' },
    }),
  ),
})
export type MissingReportView = TypeOf<typeof missingReportSchema>

type Context = ScanContext & LoadContext

/** Prepares the question: its steps, and the sum of them. Throws as `prepareScan`. */
export async function reportMissing(
  context: Context,
  call: Call,
  {
    signal,
    ...range
  }: Pick<ScanRange, 'where' | 'fromMs' | 'toMs'> & { readonly signal: AbortSignal },
) {
  const plan = await prepareScan(context, call, { range, fold: { kind: 'missing' } })
  const sum = createMissingSum()
  const span = { from: isoTime(plan.fromMs), to: isoTime(plan.toMs) }
  return {
    steps: runScan(context, plan, { kind: 'missing', signal }),
    add: (folded: FoldedMissing) => addMissing(sum, folded),
    result: async (): Promise<MissingReportView> => ({
      ...span,
      ...(await buildMissing(context, sum)),
    }),
  }
}

interface MissingSum {
  evaluations: number
  forgotten: number
  readonly names: Map<string, MissingCounts>
  readonly keys: Map<string, KeyCounts>
  namesLeftOut: number
  keysLeftOut: number
}

export function createMissingSum(): MissingSum {
  const none = { evaluations: 0, forgotten: 0, namesLeftOut: 0, keysLeftOut: 0 }
  return { ...none, names: new Map(), keys: new Map() }
}

export function addMissing(sum: MissingSum, folded: FoldedMissing): void {
  sum.evaluations += folded.evaluations
  sum.forgotten += folded.forgotten
  sum.namesLeftOut += folded.namesLeftOut
  sum.keysLeftOut += folded.keysLeftOut
  for (const [name, counts] of folded.names) {
    const known = findOrMake(sum.names, name, createMissingCounts)
    if (known) addMissingCounts(known, counts)
    else sum.namesLeftOut += counts.evaluations
  }
  for (const [key, counts] of folded.keys) {
    const known = findOrMake(sum.keys, key, createKeyCounts)
    if (known) addKeyCounts(known, counts)
    else sum.keysLeftOut += counts.evaluations
  }
}

export async function buildMissing(
  context: LoadContext,
  { evaluations, forgotten, names, keys, namesLeftOut, keysLeftOut }: MissingSum,
): Promise<Omit<MissingReportView, 'from' | 'to'>> {
  const waited = [...names.keys()].flatMap((name) => parseExtKey(name) ?? [])
  const shownKeys: MissingReportView['keys'][number][] = []
  for (const [key, counts] of sortByCount(keys)) {
    const near = counts.isRead ? [] : waited.filter((one) => isNear(key, one)).toSorted()
    shownKeys.push(showKey(key, counts, near))
    await pauseLongWork(context)
  }
  return {
    evaluations,
    forgotten,
    names: sortByCount(names).map(([name, counts]) => ({
      ...{ name, evaluations: counts.evaluations },
      share: evaluations === 0 ? null : counts.evaluations / evaluations,
      fragile: counts.fragile,
    })),
    keys: shownKeys,
    ...(namesLeftOut + keysLeftOut > 0 && { left_out: { names: namesLeftOut, keys: keysLeftOut } }),
  }
}

function showKey(
  key: string,
  { evaluations, forms, shortest, longest, isRead }: KeyCounts,
  near: readonly string[],
): MissingReportView['keys'][number] {
  const hasValue = Object.values(forms).some((count) => count > 0)
  return {
    ...{ key, evaluations, forms: { ...forms } },
    shortest: hasValue ? shortest : null,
    longest: hasValue ? longest : null,
    ...{ read: isRead, near: near.map(formatExtName) },
  }
}

function sortByCount<Counts extends { readonly evaluations: number }>(
  counted: ReadonlyMap<string, Counts>,
): readonly (readonly [string, Counts])[] {
  return [...counted].toSorted(
    ([one, left], [other, right]) => right.evaluations - left.evaluations || (one < other ? -1 : 1),
  )
}
