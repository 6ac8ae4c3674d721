/** Adds `vigil rules usage`: shows the recipes and flows that name a rule, and its outcomes. */

import type { Command } from 'commander'
import type { RuleUsageView } from '../../queries/analysis/usage.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { kindFacts } from '../rulebook/folder/kind.ts'
import { resourceId } from '../rulebook/resourceId.ts'
import { describe } from '../terminal/describe.ts'
import { printable, type Screen } from '../terminal/screen.ts'
import { type Column, table } from '../terminal/table.ts'

const recipeColumns: readonly Column[] = [
  { title: 'RECIPE' },
  { title: 'STATUS' },
  { title: 'WEIGHT', align: 'right' },
  { title: 'PREEMPTS' },
  { title: 'PINNED TO' },
  { title: 'NAME', widthMax: 48, narrow: 'wrap' },
]
const flowColumns: readonly Column[] = [
  { title: 'FLOW' },
  { title: 'NAME', widthMax: 48, narrow: 'wrap' },
]

const outcomes = [
  ['EVALUATIONS', 'count'],
  ['TRIGGERED', 'triggered'],
  ['NOT_TRIGGERED', 'not_triggered'],
  ['MISSING_DATA', 'missing_data'],
  ['UNAVAILABLE', 'unavailable'],
  ['SKIPPED', 'skipped'],
] as const
const dayColumns: readonly Column[] = [
  { title: 'DAY' },
  ...outcomes.map(([title]): Column => ({ title, align: 'right' })),
]

/** Adds `usage` to `vigil rules`. */
export function addUsageCommand(rules: Command, run: Run): void {
  describe(rules, {
    usage: 'usage',
    takes: { '<rule>': 'its id or name' },
    summary: 'Show the recipes and flows a rule stands in, and its outcomes of seven days.',
    example: 'vigil rules usage rul_01jc0t6fwwfgfsq1md24mhyztj',
  }).action(serve(run, showUsage))
}

async function showUsage(invocation: Invocation, _: object, rule = ''): Promise<undefined> {
  const { print, screen } = invocation
  const client = await invocation.client()
  const id = await resourceId(client, { kind: 'rules' }, rule)
  const { body } = await client<RuleUsageView>('GET', `${kindFacts.rules.path}/${id}/usage`)
  print(body, () => usageLines(body, screen))
}

type Evaluations = RuleUsageView['evaluations']

/** Recipes with the place the rule has in each, flows, and a line of outcomes for each day with their sum. */
function usageLines(usage: RuleUsageView, screen: Screen): readonly string[] {
  const { rule_id, recipes, recipe_count, flows, flow_count, evaluations } = usage
  return [
    `${printable(rule_id)}  in ${counted(recipe_count, 'recipe')}, ${counted(flow_count, 'flow')}`,
    ...tableOf(
      recipeColumns,
      recipes.map((recipe) => [
        recipe.id,
        recipe.status,
        String(recipe.weight),
        recipe.preempts ?? '',
        recipe.version_id ?? '',
        recipe.name,
      ]),
      screen,
    ),
    ...moreLine(recipe_count - recipes.length, 'recipe'),
    ...tableOf(
      flowColumns,
      flows.map(({ id, name }) => [id, name]),
      screen,
    ),
    ...moreLine(flow_count - flows.length, 'flow'),
    '',
    ...outcomeLines(evaluations, screen),
  ]
}

function outcomeLines(evaluations: Evaluations, screen: Screen): readonly string[] {
  const { from, to, days, truncated } = evaluations
  const span = `${printable(from)} to ${printable(to)} (UTC)`
  if (days.length === 0) return [`It did not run from ${span}.`]
  const row = (first: string, counts: Evaluations['days'][number] | Evaluations) => [
    first,
    ...outcomes.map(([, field]) => String(counts[field])),
  ]
  return [
    `Outcomes from ${span}, once for each recipe that ran it:`,
    ...table(
      dayColumns,
      [...days.map((counts) => row(counts.day, counts)), row('all', evaluations)],
      screen,
    ),
    ...(truncated
      ? ['The counts are too low: the rule stands in more flows than are looked at.']
      : []),
  ]
}

function tableOf(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  screen: Screen,
): readonly string[] {
  return rows.length === 0 ? [] : ['', ...table(columns, rows, screen)]
}

function moreLine(more: number, noun: string): readonly string[] {
  return more > 0 ? [`and ${counted(more, `more ${noun}`)}`] : []
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
