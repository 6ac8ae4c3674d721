/** How the answer of an evaluation is shown: a table for each recipe. */

import { colourOf, type Paint } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import { beside, type Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'
import type { RecipeAnswer, RuleAnswer, VerdictAnswer } from './answers.ts'

const columns: readonly Column[] = [
  { title: 'OUTCOME', coloured: true },
  { title: 'WEIGHT', align: 'right' },
  { title: 'RULE', widthMax: 60, narrow: 'wrap' },
  { title: 'NOTE', narrow: 'wrap' },
]

/** The verdict, and what every rule had to do with it. */
export function verdictLines(answer: VerdictAnswer, screen: Screen): readonly string[] {
  const { paint } = screen
  return [
    `${paint(colourOf(answer.verdict), answer.verdict)}  ${printable(answer.id)}`,
    ...answer.recipes.flatMap((recipe) => [
      '',
      recipeLine(recipe, paint),
      ...table(
        columns,
        recipe.rules.map((rule) => [
          rule.outcome,
          String(rule.weight),
          ruleName(rule),
          noteOf(rule, recipe),
        ]),
        beside(screen, 2),
      ).map((line) => `  ${line}`),
    ]),
    ...(answer.recipes.length === 0 ? ['', 'No recipe of the flow is live.'] : []),
  ]
}

/** A recipe in one line. */
export function recipeLine(recipe: RecipeAnswer, paint: Paint): string {
  const { status, score, threshold, partial_evidence, determined_by } = recipe
  const notes = [
    ...(partial_evidence ? ['partial evidence'] : []),
    ...(determined_by === undefined ? [] : [`determined by ${printable(determined_by)}`]),
  ]
  return [
    printable(recipe.recipe_id),
    ...(status === undefined ? [] : [printable(status)]),
    paint(colourOf(recipe.verdict), recipe.verdict),
    [`score ${score} of threshold ${threshold}`, ...notes].join(', '),
  ].join('  ')
}

/** A managed rule shows no name. */
export function ruleName(rule: RuleAnswer): string {
  return printable(rule.name ?? `${rule.type === 'MANAGED' ? 'managed ' : ''}${rule.rule_id}`)
}

/** What kept the rule from running, or what it decided. */
export function noteOf(rule: RuleAnswer, recipe: RecipeAnswer): string {
  return [
    ...hindrances(rule),
    ...(recipe.determined_by === rule.rule_id ? ['set the verdict'] : []),
  ].join(', ')
}

/** What kept the rule from running. */
export function hindrances({
  blocked_by,
  unavailable,
}: Pick<RuleAnswer, 'blocked_by' | 'unavailable'>): readonly string[] {
  return [
    ...(blocked_by === undefined ? [] : [`waits for ${printable(blocked_by)}`]),
    ...(unavailable ? ['could not run'] : []),
  ]
}
