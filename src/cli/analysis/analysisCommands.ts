/** Declares `vigil rules usage` (where a rule is used, outcomes) and `vigil recipes compare`. */

import type { RecipeComparisonView } from '../../queries/analysis/recipeComparison.ts'
import type { RuleUsageView } from '../../queries/analysis/ruleUsage.ts'
import { type CommandDefinition, fillFields } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import { escapeControls, formatCount, type Screen } from '../terminal/screen.ts'
import { formatFields, formatItemTable, type ItemColumns } from '../terminal/table.ts'
import { checkTimes, flowScanFields, flowScanOptions, scan } from './scanCommands.ts'

const name = { cell: 'name', widthMax: 48, narrow: 'wrap' } as const
const recipeColumns: ItemColumns<RuleUsageView['recipes'][number]> = {
  RECIPE: 'id',
  STATUS: 'status',
  WEIGHT: { cell: 'weight', align: 'right' },
  PREEMPTS: 'preempts',
  'PINNED TO': 'version_id',
  NAME: name,
}
const flowColumns: ItemColumns<RuleUsageView['flows'][number]> = { FLOW: 'id', NAME: name }

const dayColumns: ItemColumns<RuleUsageView['evaluations']['shadow'] & { readonly day: string }> = {
  DAY: 'day',
  EVALUATIONS: { cell: 'count', align: 'right' },
  TRIGGERED: { cell: 'triggered', align: 'right' },
  NOT_TRIGGERED: { cell: 'not_triggered', align: 'right' },
  MISSING_DATA: { cell: 'missing_data', align: 'right' },
  UNAVAILABLE: { cell: 'unavailable', align: 'right' },
  SKIPPED: { cell: 'skipped', align: 'right' },
}

export const ruleUsageCommand: CommandDefinition = {
  arguments: { '<rule>': idOrNameArgument(namedResources.rules) },
  summary: 'Show the recipes and flows that contain a rule, and its outcomes of seven days.',
  request: `GET ${namedResources.rules.path}/<rule>/usage`,
  lines: formatUsage,
}

/** The recipes and flows that contain the rule, and its outcomes per day and in total. */
function formatUsage(usage: RuleUsageView, { screen }: Invocation): readonly string[] {
  const { rule_id, recipes, recipe_count, flows, flow_count } = usage
  return [
    `${escapeControls(rule_id)}  in ${formatCount(recipe_count, 'recipe')}, ${formatCount(flow_count, 'flow')}`,
    ...(recipes.length === 0 ? [] : ['', ...formatItemTable(recipeColumns, recipes, screen)]),
    ...formatMore(recipe_count - recipes.length, 'recipe'),
    ...(flows.length === 0 ? [] : ['', ...formatItemTable(flowColumns, flows, screen)]),
    ...formatMore(flow_count - flows.length, 'flow'),
    '',
    ...formatOutcomes(usage, screen),
  ]
}

function formatOutcomes({ evaluations }: RuleUsageView, screen: Screen): readonly string[] {
  const { from, to, days, truncated } = evaluations
  const span = `${escapeControls(from)} to ${escapeControls(to)} (UTC)`
  if (days.length === 0) return [`It did not run from ${span}.`]
  const all = [...days, { ...evaluations, day: 'all' }]
  const shadow = all.map((one) => ({ ...one.shadow, day: one.day }))
  const table = (rows: typeof shadow): readonly string[] => {
    const used = rows.filter(({ count, day }) => count > 0 || day === 'all')
    return formatItemTable(dayColumns, used, screen)
  }
  return [
    `Outcomes from ${span}, once for each live recipe that ran it:`,
    ...table(all),
    ...(evaluations.shadow.count === 0 ? [] : ['', 'In shadow recipes:', ...table(shadow)]),
    ...(truncated ? ['The counts are too low: the rule is in more flows than are searched.'] : []),
  ]
}

function formatMore(more: number, noun: string): readonly string[] {
  return more > 0 ? [`and ${formatCount(more, `more ${noun}`)}`] : []
}

type Outcome = RecipeComparisonView['outcomes'][number]
type Example = Pick<Outcome, 'recipe' | 'with'> & { readonly id: string }

const verdicts: ItemColumns<Pick<Outcome, 'recipe' | 'with'>> = {
  RECIPE: { cell: 'recipe', coloured: true },
  OTHER: { cell: 'with', coloured: true },
}
const columns: ItemColumns<Outcome> = {
  ...verdicts,
  EVIDENCE: (one) => (one.partial_evidence ? 'partial' : 'complete'),
  EVALUATIONS: { cell: 'evaluations', align: 'right' },
  FRAUD: { cell: 'fraud', align: 'right' },
  LEGITIMATE: { cell: 'legitimate', align: 'right' },
  UNLABELLED: { cell: 'unlabelled', align: 'right' },
}
const exampleColumns: ItemColumns<Example> = { ...verdicts, EVALUATION: 'id' }

export const recipeComparisonCommand: CommandDefinition = {
  arguments: {
    '<recipe>': idOrNameArgument(namedResources.recipes),
    '<other>': idOrNameArgument(namedResources.recipes, 'the id or name of another'),
  },
  summary: 'Count where two recipes agreed in the evaluations in which both ran, and the labels.',
  example: '--from 2026-11-01T00:00:00Z',
  options: {
    ...flowScanOptions,
    '--exit-code': `end with ${exitCodes.verdictsDiffer} when their verdicts differ`,
  },
  check: checkTimes,
  run: compare,
}

async function compare(invocation: Invocation): Promise<ExitCode> {
  const { given } = invocation
  const [id, other] = [given('<recipe>'), given('<other>')]
  if (id === other) throw usageError('A recipe is compared with another one.')
  const path = `${namedResources.recipes.path}/${id}/comparison`
  const query = fillFields({ with: '<other>', ...flowScanFields }, given)
  const found = await scan<RecipeComparisonView>(invocation, path, query)
  invocation.print(found, () => formatComparison(found, invocation.screen))
  const isOther = given('--exit-code') && found.differences > 0
  return isOther ? exitCodes.verdictsDiffer : exitCodes.done
}

/** How often they agreed, every pair of verdicts, and examples of where they differ. */
function formatComparison(found: RecipeComparisonView, screen: Screen): readonly string[] {
  const { agreements, differences, scanned, outcomes } = found
  const present = outcomes.filter(({ evaluations }) => evaluations > 0)
  return [
    ...formatFields({ recipe: found.recipe_id, other: found.with, from: found.from, to: found.to }),
    '',
    `Of ${formatCount(scanned, 'evaluation')} both ran in ${agreements + differences}: the same verdict in ${agreements}, another in ${differences}.`,
    ...(present.length === 0 ? [] : ['', ...formatItemTable(columns, present, screen)]),
    ...formatExamples(found, screen),
  ]
}

function formatExamples({ outcomes }: RecipeComparisonView, screen: Screen): readonly string[] {
  const differing = outcomes.filter((one) => one.recipe !== one.with && one.evaluations > 0)
  const rows = differing.flatMap((outcome) =>
    outcome.examples.map((id): Example => ({ ...outcome, id })),
  )
  if (rows.length === 0) return []
  return [
    '',
    'Where they differ, the newest (vigil show says why):',
    ...formatItemTable(exampleColumns, rows, screen),
    '',
    'All of them (vigil evaluations export --where):',
    ...new Set(differing.map(({ where }) => escapeControls(where))),
  ]
}
