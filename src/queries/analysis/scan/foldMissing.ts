/** Folds evaluations by the names that were missing and by the keys of `ext` that arrived. */

import { formatExtName, parseExtKey } from '../../../engine/language/readableNames.ts'
import { missingData } from '../../../engine/run/shownRule.ts'
import type { Fold } from './folds.ts'
import type { ScannedEvaluation } from './scanNames.ts'

export interface MissingCounts {
  evaluations: number
  /** Those of them whose verdict the missing evidence could turn. */
  fragile: number
}

const valueForms = ['number', 'boolean', 'date', 'text', 'empty'] as const
type ValueForm = (typeof valueForms)[number]

export interface KeyCounts {
  /** In which it arrived. */
  evaluations: number
  /** Of the values that are not forgotten: how many have each form, and their characters. */
  readonly forms: Record<ValueForm, number>
  shortest: number
  longest: number
  /** Whether a rule of the account reads it in a flow that was evaluated. */
  isRead: boolean
}

export interface FoldedMissing {
  readonly evaluations: number
  readonly forgotten: number
  readonly names: ReadonlyMap<string, MissingCounts>
  readonly keys: ReadonlyMap<string, KeyCounts>
  /** How often a name or a key was not counted, since there were too many others. */
  readonly namesLeftOut: number
  readonly keysLeftOut: number
}

/** Names, and keys, that are told apart. */
export const toldApartMax = 2_000

export function foldMissing(): Fold<FoldedMissing> {
  const sum = { evaluations: 0, forgotten: 0, namesLeftOut: 0, keysLeftOut: 0 }
  const names = new Map<string, MissingCounts>()
  const keys = new Map<string, KeyCounts>()
  const addName = (name: string, fragile: number) => {
    const counts = findOrMake(names, name, createMissingCounts)
    if (counts) addMissingCounts(counts, { evaluations: 1, fragile })
    else sum.namesLeftOut += 1
  }
  const addKey = (key: string, counted: KeyCounts) => {
    const counts = findOrMake(keys, key, createKeyCounts)
    if (counts) addKeyCounts(counts, counted)
    else sum.keysLeftOut += 1
  }
  return {
    needs: { record: true, evidence: true, runnable: true },
    add: (one) => {
      sum.evaluations += 1
      if (one.isForgotten) sum.forgotten += 1
      const fragile = one.record?.fragile ? 1 : 0
      for (const name of listMissingNames(one)) addName(name, fragile)
      for (const [key, value] of listArrivedKeys(one)) addKey(key, countKey(one, key, value))
    },
    take: () => ({ ...sum, names, keys }),
  }
}

/** Each once; `missing_data` stands for all that managed rules wait for. */
function listMissingNames({ record }: ScannedEvaluation): ReadonlySet<string> {
  const names = new Set(record?.missing?.map(([name]) => name))
  return record?.missing_managed ? names.add(missingData) : names
}

/** The entry of a key, made where there is none; undefined where there are too many others. */
export function findOrMake<Entry>(
  entries: Map<string, Entry>,
  key: string,
  make: () => Entry,
): Entry | undefined {
  const known = entries.get(key)
  if (known || entries.size >= toldApartMax) return known
  const made = make()
  entries.set(key, made)
  return made
}

export function createMissingCounts(): MissingCounts {
  return { evaluations: 0, fragile: 0 }
}

export function createKeyCounts(): KeyCounts {
  const forms = { number: 0, boolean: 0, date: 0, text: 0, empty: 0 }
  return { evaluations: 0, forms, shortest: Number.POSITIVE_INFINITY, longest: 0, isRead: false }
}

export function addMissingCounts(sum: MissingCounts, counts: MissingCounts): void {
  sum.evaluations += counts.evaluations
  sum.fragile += counts.fragile
}

export function addKeyCounts(sum: KeyCounts, counts: KeyCounts): void {
  sum.evaluations += counts.evaluations
  for (const form of valueForms) sum.forms[form] += counts.forms[form]
  sum.shortest = Math.min(sum.shortest, counts.shortest)
  sum.longest = Math.max(sum.longest, counts.longest)
  sum.isRead ||= counts.isRead
}

/** Keys with their values; of a forgotten evaluation only those that stand in clear, without. */
function listArrivedKeys({
  evidence,
  record,
}: ScannedEvaluation): readonly (readonly [key: string, value: string | undefined])[] {
  if (!evidence) return (record?.arrived.ext ?? []).map((key) => [key, undefined])
  return [...evidence].flatMap(([name, { value }]) => {
    const key = parseExtKey(name)
    return key === undefined ? [] : [[key, String(value)] as const]
  })
}

function countKey(
  { runnable }: ScannedEvaluation,
  key: string,
  value: string | undefined,
): KeyCounts {
  const counts = createKeyCounts()
  counts.evaluations = 1
  counts.isRead = runnable?.shownNames.has(formatExtName(key)) ?? false
  if (value === undefined) return counts
  counts.forms[findForm(value)] = 1
  const length = [...value].length
  return { ...counts, shortest: length, longest: length }
}

const formPatterns: readonly (readonly [ValueForm, RegExp])[] = [
  ['empty', /^\s*$/],
  ['number', /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i],
  ['boolean', /^(?:true|false|yes|no|on|off)$/i],
  ['date', /^(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|\d{1,2}[./]\d{1,2}[./]\d{4})$/],
]

/** What a value is like; `empty` is nothing but white space. */
function findForm(value: string): ValueForm {
  return formPatterns.find(([, pattern]) => pattern.test(value))?.[0] ?? 'text'
}
