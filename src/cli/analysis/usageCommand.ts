/** Declares `vigil rules usage`: prints the recipes and flows that contain a rule, and its outcomes. */

import type { RuleUsageView } from '../../queries/analysis/usage.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { resourceArgument } from '../connecting/nameLookup.ts'
import { kindFacts } from '../rulebook/folder/resourceFile.ts'
import { printable, type Screen } from '../terminal/screen.ts'
import { type CellColumn, type Column, itemTable, table } from '../terminal/table.ts'

const name = { title: 'NAME', cell: 'name', widthMax: 48, narrow: 'wrap' } as const
const recipeColumns: readonly CellColumn<RuleUsageView['recipes'][number]>[] = [
  { title: 'RECIPE', cell: 'id' },
  { title: 'STATUS', cell: 'status' },
  { title: 'WEIGHT', cell: 'weight', align: 'right' },
  { title: 'PREEMPTS', cell: 'preempts' },
  { title: 'PINNED TO', cell: 'version_id' },
  name,
]
const flowColumns: readonly CellColumn<RuleUsageView['flows'][number]>[] = [
  { title: 'FLOW', cell: 'id' },
  name,
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

export const usageCommand: CommandRow = {
  usage: 'usage',
  arguments: { '<rule>': resourceArgument(kindFacts.rules) },
  summary: 'Show the recipes and flows that contain a rule, and its outcomes of seven days.',
  example: 'vigil rules usage rul_01jc0t6fwwfgfsq1md24mhyztj',
  request: `GET ${kindFacts.rules.path}/<rule>/usage`,
  lines: usageLines,
}

type Evaluations = RuleUsageView['evaluations']

/** The recipes and flows that contain the rule, and its outcomes per day and in total. */
function usageLines(usage: RuleUsageView, { screen }: Invocation): readonly string[] {
  const { rule_id, recipes, recipe_count, flows, flow_count, evaluations } = usage
  return [
    `${printable(rule_id)}  in ${counted(recipe_count, 'recipe')}, ${counted(flow_count, 'flow')}`,
    ...(recipes.length === 0 ? [] : ['', ...itemTable(recipeColumns, recipes, screen)]),
    ...moreLine(recipe_count - recipes.length, 'recipe'),
    ...(flows.length === 0 ? [] : ['', ...itemTable(flowColumns, flows, screen)]),
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
    ...(truncated ? ['The counts are too low: the rule is in more flows than are searched.'] : []),
  ]
}

function moreLine(more: number, noun: string): readonly string[] {
  return more > 0 ? [`and ${counted(more, `more ${noun}`)}`] : []
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
