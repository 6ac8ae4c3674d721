/** Declares the columns that rows of evaluations may have. */

import {
  evaluationNames,
  evidenceName,
  type Needs,
  readStatus,
  recipeNames,
  recordedRecipe,
  type ScannedEvaluation,
  type ScannedRecipe,
} from './scanNames.ts'
import { readValues } from './where.ts'

/** Columns of the live recipes: a value for each, in their order. */
const recipeColumns: ReadonlySet<string> = new Set(Object.keys(recipeNames))

interface Column {
  readonly needs: Needs
  readonly read: (one: ScannedEvaluation) => unknown
}

const ownColumns: Readonly<Record<string, Column>> = {
  labels: {
    needs: { reports: true },
    read: ({ reports }) =>
      reports?.followed_by.flatMap(({ kind, name }) => (kind === 'event' ? [name] : [])) ?? [],
  },
  rules: {
    needs: { record: true },
    // the rules that triggered in live recipes
    read: (one) => liveRecipes(one).flatMap((recipe) => listTriggered(recipe)),
  },
  forgotten: { needs: { record: true, evidence: true }, read: ({ isForgotten }) => isForgotten },
}

export const columnNames: readonly string[] = [
  ...Object.keys(ownColumns),
  ...Object.keys(evaluationNames),
  ...recipeColumns,
]

export function columnNeeds(name: string): Needs {
  return findColumn(name).needs
}

/** The value of a column: text, number or boolean, or a list of these; undefined where it has none. */
export function readColumn(name: string, one: ScannedEvaluation): unknown {
  return findColumn(name).read(one)
}

function findColumn(name: string): Column {
  const own = Object.hasOwn(ownColumns, name) ? ownColumns[name] : undefined
  if (own) return own
  if (recipeColumns.has(name)) {
    const { needs, read } = recipeNames[name as keyof typeof recipeNames]
    return { needs, read: (one) => liveRecipes(one).map((recipe) => read(recipe)) }
  }
  const isOfTable = Object.hasOwn(evaluationNames, name)
  const { needs } = isOfTable
    ? evaluationNames[name as keyof typeof evaluationNames]
    : evidenceName(name)
  return {
    needs,
    read: (one) => {
      const values = readValues(name, one)
      return values.length > 1 ? values : values[0]
    },
  }
}

function liveRecipes(of: ScannedEvaluation): readonly ScannedRecipe[] {
  return of.body.recipes
    .map((_, index) => ({ of, index }))
    .filter((one) => readStatus(one) === 'LIVE')
}

function listTriggered(recipe: ScannedRecipe): readonly string[] {
  const { outcomes = '' } = recordedRecipe(recipe) ?? {}
  const rules = recipe.of.plan?.plan.recipes[recipe.index]?.rules ?? []
  return rules.flatMap(({ rule_id }, at) => (outcomes.charAt(at) === 'T' ? [rule_id] : []))
}
