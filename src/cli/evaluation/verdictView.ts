/** Prints the verdict of an evaluation with a table for each recipe. */

import { beside, colourOf, type Paint, printable, type Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'
import type { RecipeAnswer, RuleAnswer, VerdictAnswer } from './answers.ts'
import { notCountedLines } from './notCountedView.ts'

const columns: readonly Column[] = [
  { title: 'OUTCOME', coloured: true },
  { title: 'WEIGHT', align: 'right' },
  { title: 'RULE', widthMax: 120, narrow: 'wrap' },
  { title: 'NOTE', narrow: 'wrap' },
]

/** The verdict, the result of every rule, and unused signals, as far as the answer contains them. */
export function verdictLines(answer: VerdictAnswer, screen: Screen): readonly string[] {
  const { paint } = screen
  const { recipes, not_counted = [] } = answer
  return [
    verdictLine(answer, paint),
    ...recipes.flatMap((recipe) => [
      '',
      recipeLine(recipe, paint),
      ...ruleTable(recipe, beside(screen, 2)).map((line) => `  ${line}`),
    ]),
    ...(recipes.length === 0 ? ['', 'No recipe of the flow is live.'] : []),
    ...('forgotten' in not_counted ? [] : notCountedLines(not_counted, paint)),
  ]
}

/** Verdict, id and, where it is known, the name of the flow. */
export function verdictLine({ verdict, id, flow_name }: VerdictAnswer, paint: Paint): string {
  const flow = flow_name === undefined ? '' : `  ${paint('bold', printable(flow_name))}`
  return `${paint(colourOf(verdict), printable(verdict))}  ${printable(id)}${flow}`
}

function ruleTable(recipe: RecipeAnswer, screen: Screen): readonly string[] {
  const rows = recipe.rules.map((rule) => [
    rule.outcome,
    String(rule.weight),
    ruleName(rule),
    noteOf(rule, recipe),
  ])
  return table(columns, rows, screen)
}

/** A recipe in one line. */
export function recipeLine(recipe: RecipeAnswer, paint: Paint): string {
  const { name, status, score, threshold, partial_evidence } = recipe
  const notes = [
    ...(partial_evidence ? ['partial evidence'] : []),
    ...determination(recipe).map((rule) => `determined by ${printable(rule)}`),
  ]
  return [
    ...(name === undefined ? [] : [paint('bold', printable(name))]),
    printable(recipe.recipe_id),
    ...(status === undefined ? [] : [printable(status)]),
    paint(colourOf(recipe.verdict), recipe.verdict),
    [`score ${score} of threshold ${threshold}`, ...notes].join(', '),
  ].join('  ')
}

/** The name of the rule that decided instead of the score; empty when the score decided. */
export function determination({ determined_by, rules }: RecipeAnswer): readonly string[] {
  if (determined_by === undefined) return []
  const rule = rules.find(({ rule_id }) => rule_id === determined_by)
  return [rule ? ruleName(rule) : determined_by]
}

/** The name of a rule; a managed one shows none, and is called by its description where that is known. */
export function ruleName({ name, type, description, rule_id }: RuleAnswer): string {
  if (type !== 'MANAGED') return printable(name ?? rule_id)
  return printable(
    description === undefined ? `managed ${rule_id}` : `${description} (managed ${rule_id})`,
  )
}

/** What kept the rule from running, or what it decided. */
export function noteOf(rule: RuleAnswer, recipe: RecipeAnswer): string {
  return [
    ...hindrances(rule),
    ...(rule.outcome === 'SKIPPED' ? ['the verdict was set before'] : []),
    ...(recipe.determined_by === rule.rule_id ? ['set the verdict'] : []),
  ].join(', ')
}

/** What kept the rule from running. */
export function hindrances({
  blocked_by,
  unavailable,
}: Pick<RuleAnswer, 'blocked_by' | 'unavailable'>): readonly string[] {
  return [
    ...(blocked_by === undefined ? [] : [needText(blocked_by)]),
    ...(unavailable ? ['could not run, for a reason on the service’s side'] : []),
  ]
}

/** Of a managed rule it is only said that there is something (spec 2.6). */
function needText(blockedBy: string): string {
  return blockedBy === 'missing_data'
    ? 'needs data that did not arrive'
    : `needs ${printable(blockedBy)}`
}
