/** Declares `vigil rules usage` (where a rule is used) and `vigil recipes compare`. */

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

export const ruleUsageCommand: CommandDefinition = {
  arguments: { '<rule>': idOrNameArgument(namedResources.rules) },
  summary: 'Show the recipes and flows that contain a rule.',
  request: `GET ${namedResources.rules.path}/<rule>/usage`,
  lines: formatUsage,
}

function formatUsage(usage: RuleUsageView, { screen }: Invocation): readonly string[] {
  const { rule_id, recipes, recipe_count, flows, flow_count } = usage
  return [
    `${escapeControls(rule_id)}  in ${formatCount(recipe_count, 'recipe')}, ${formatCount(flow_count, 'flow')}`,
    ...(recipes.length === 0 ? [] : ['', ...formatItemTable(recipeColumns, recipes, screen)]),
    ...formatMore(recipe_count - recipes.length, 'recipe'),
    ...(flows.length === 0 ? [] : ['', ...formatItemTable(flowColumns, flows, screen)]),
    ...formatMore(flow_count - flows.length, 'flow'),
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
