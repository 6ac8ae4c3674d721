/** Declares the columns that rows of evaluations may have. */

import { invalidRequest } from '../../../domain/failure.ts'
import { isoTime } from '../../../domain/text/isoTime.ts'
import { nearestName } from '../../../domain/text/nearestName.ts'
import { quoteText } from '../../../domain/text/quoteText.ts'
import { findNameType } from '../../../engine/language/readableNames.ts'
import {
  evaluationNames,
  evidenceName,
  type Needs,
  readStatus,
  recipeDocument,
  recipeNames,
  type ScanName,
  type ScannedEvaluation,
  type ScannedRecipe,
} from './scanNames.ts'

/** What a column has: in every row the same, and absent or null where there is nothing. */
export interface TableColumn {
  readonly name: string
  /** A `time` is in ISO 8601; an `integer` is a text, since it may be greater than a number can be. */
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'time'
  /** Any number of them. */
  readonly isList?: true
}

interface Column extends Omit<TableColumn, 'name'> {
  readonly needs: Needs
  readonly read: (one: ScannedEvaluation) => unknown
}

const severalTexts = { type: 'text', isList: true } as const

const ownColumns: Readonly<Record<string, Column>> = {
  labels: {
    ...severalTexts,
    needs: { reports: true },
    read: ({ reports }) =>
      reports?.followed_by.flatMap(({ kind, name }) => (kind === 'event' ? [name] : [])) ?? [],
  },
  rules: {
    ...severalTexts,
    needs: { plan: true },
    // the rules that triggered in live recipes
    read: (one) => liveRecipes(one).flatMap((recipe) => listTriggered(recipe)),
  },
  forgotten: {
    type: 'boolean',
    needs: { record: true, evidence: true },
    read: ({ isForgotten }) => isForgotten,
  },
}

/** Names of an evaluation with more than one value. */
const listed: ReadonlySet<string> = new Set(['label', 'missing', 'flagged_by', 'passed_by', 'ran'])

/** Every column but those of the evidence; what is found by its digest alone is none. */
const columns: ReadonlyMap<string, Column> = new Map([
  ...Object.entries(ownColumns),
  ...Object.entries<ScanName<ScannedEvaluation>>(evaluationNames).flatMap(([name, found]) =>
    found.type === 'digest' ? [] : [[name, ofEvaluation(name, found, found.type)] as const],
  ),
  ...Object.entries<ScanName<ScannedRecipe>>(recipeNames).flatMap(
    ([name, { needs, type, read }]) =>
      type === 'digest' ? [] : [[name, ofRecipes(needs, type, read)] as const],
  ),
])

export const columnNames: readonly string[] = [...columns.keys()]

function ofEvaluation(
  name: string,
  { needs, read }: ScanName<ScannedEvaluation>,
  type: TableColumn['type'],
): Column {
  if (!listed.has(name)) return { needs, type, read: (one) => emptyAsAbsent(read(one)) }
  return { needs, type, isList: true, read: (one) => read(one) ?? [] }
}

/** A value for each live recipe, in their order. */
function ofRecipes(
  needs: Needs,
  type: TableColumn['type'],
  read: (recipe: ScannedRecipe) => unknown,
): Column {
  return { needs, type, isList: true, read: (one) => liveRecipes(one).map((one) => read(one)) }
}

function ofEvidence(name: string): Column {
  const { needs, read } = evidenceName(name)
  const valueType = findNameType(name, undefined)
  if (valueType === 'timestamp') return { needs, type: 'time', read: (one) => isoTimeOf(read(one)) }
  const type = valueType === 'bool' ? 'boolean' : 'text'
  return { needs, type, read: (one) => emptyAsAbsent(read(one)) }
}

function isoTimeOf(value: unknown): string | undefined {
  return typeof value === 'number' ? isoTime(value) : undefined
}

function emptyAsAbsent(value: unknown): unknown {
  return value === '' ? undefined : value
}

export function columnNeeds(name: string): Needs {
  return findColumn(name).needs
}

export function describeColumn(name: string): TableColumn {
  const { type, isList } = findColumn(name)
  return { name, type, ...(isList && { isList }) }
}

/** The value of a column: text, number or boolean, or a list of these; undefined where it has none. */
export function readColumn(name: string, one: ScannedEvaluation): unknown {
  return findColumn(name).read(one)
}

function findColumn(name: string): Column {
  return columns.get(name) ?? ofEvidence(name)
}

/** Throws `invalid_request` naming `columns`, with the nearest of those that there are unless another is meant. */
export function refuseColumn(name: string, known: readonly string[], meant?: string): never {
  const near = meant ?? nearestName(name, known)
  const end = near === undefined ? '.' : `: did you mean ${near}?`
  const message = `There is no column ${quoteText(name)}${end} Known: ${known.join(', ')}.`
  throw invalidRequest([{ path: 'columns', message }])
}

function liveRecipes(of: ScannedEvaluation): readonly ScannedRecipe[] {
  return of.body.recipes
    .map((_, index) => ({ of, index }))
    .filter((one) => readStatus(one) === 'LIVE')
}

function listTriggered(recipe: ScannedRecipe): readonly string[] {
  const { outcomes = '' } = recipeDocument(recipe) ?? {}
  const rules = recipe.of.plan?.plan.recipes[recipe.index]?.rules ?? []
  return rules.flatMap(({ rule_id }, at) => (outcomes.charAt(at) === 'T' ? [rule_id] : []))
}
