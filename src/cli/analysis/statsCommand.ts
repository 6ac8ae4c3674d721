/** Declares `vigil stats`: verdicts and scores of flows and recipes, by hour or day. */

import { InvalidArgumentError } from 'commander'
import { formatInZone, parseTimeZone, utc } from '../../domain/text/timeZone.ts'
import type { StatisticsView } from '../../queries/analysis/statistics/statistics.ts'
import { type CommandDefinition, fillFields } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import { timeFormats, timeOption } from '../terminal/optionValues.ts'
import { formatCount, openProgress, type Screen } from '../terminal/screen.ts'
import { formatItemTable, type ItemColumns } from '../terminal/table.ts'

type FlowView = StatisticsView['flows'][number]
type RecipeView = FlowView['recipes'][number]

/** A flow, or a recipe of it. */
interface Row {
  readonly name: string
  readonly status: string
  readonly shown: FlowView | RecipeView
}

const right = { align: 'right' } as const
const figure = (name: keyof RecipeView['figures']) => ({
  ...right,
  cell: ({ shown: { figures } }: Row) =>
    name in figures ? formatNumber(Reflect.get(figures, name)) : '',
})

const columns = (by: string): ItemColumns<Row> => ({
  'FLOW, RECIPE': { cell: 'name', widthMax: 48, narrow: 'wrap' },
  STATUS: 'status',
  EVALUATIONS: figure('evaluations'),
  FLAGGED: figure('flagged'),
  SHARE: { ...right, cell: ({ shown }) => formatShare(shown.figures.share) },
  'WEEK BEFORE': { ...right, cell: ({ shown }) => formatWeekBefore(shown.week_before) },
  FRAGILE: figure('fragile'),
  PARTIAL: figure('partial'),
  OVERRIDDEN: figure('overridden'),
  MEDIAN: figure('median_score'),
  THRESHOLD: {
    ...right,
    cell: ({ shown }) => ('thresholds' in shown ? shown.thresholds.join(', ') : ''),
  },
  SCORES: ({ shown }) => ('histogram' in shown ? drawScores(shown) : ''),
  [`BY ${by.toUpperCase()}`]: ({ shown }) =>
    drawLine(shown.buckets.map(({ evaluations }) => evaluations)),
})

export const statsCommand: CommandDefinition = {
  summary: 'Count the verdicts of flows and recipes, beside those of a week before.',
  example: '--flow Signup --from 7d --by hour',
  options: {
    '--flow <flow>': idOrNameArgument(namedResources.flows, 'only this flow: its id or name'),
    '--from <time>': timeOption(`as one of: ${timeFormats}; a week before --to by default`),
    '--to <time>': timeOption('up to the hour or day of this time; now by default'),
    '--by <unit>': {
      description: 'what the time is cut into',
      choices: ['hour', 'day'],
      default: 'day',
    },
    '--zone <zone>': {
      description:
        'the time zone of the hours and days, as in Europe/Paris or +01:00; UTC by default',
      parse: readZone,
    },
    '--csv': 'print a line for each hour or day of a flow or recipe, as CSV',
  },
  check: ({ given, flags }) => {
    const [from, to] = [given('--from'), given('--to')]
    if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) {
      throw usageError('--from must be before --to.')
    }
    if (given('--csv') && flags.json) throw usageError('Only one of --csv and --json can be given.')
  },
  run: printStatistics,
}

function readZone(given: string): string {
  const zone = parseTimeZone(given)
  if (zone) return zone.name
  throw new InvalidArgumentError('Must be a time zone, as in Europe/Paris or +01:00.')
}

async function printStatistics(invocation: Invocation): Promise<ExitCode> {
  const { given, context, print, screen } = invocation
  const range = { from: '--from', to: '--to', by: '--by', zone: '--zone' } as const
  const query = fillFields({ flow_id: '--flow', ...range }, given)
  if (given('--csv')) {
    const { text } = await ask<{ readonly text: string }>(invocation, { ...query, format: 'csv' })
    context.stdout.write(text)
    return exitCodes.done
  }
  const found = await ask<StatisticsView>(invocation, query)
  print(found, () => formatStatistics(found, screen))
  return exitCodes.done
}

/** Asks, however long a scan takes: its answer has a space for each step before the first brace. */
async function ask<Answer extends object>(
  { client, context, flags }: Invocation,
  query: object,
): Promise<Answer> {
  const progress = openProgress(context, flags)
  const onPiece = (piece: Uint8Array) => {
    if (piece.length === 1) progress.show('scanning')
  }
  try {
    return await client<Answer>('GET', '/v2/watch/statistics', { query: { ...query }, onPiece })
  } finally {
    progress.clear()
  }
}

function formatStatistics(
  { from, to, finished, by, zone, source, flows }: StatisticsView,
  screen: Screen,
): readonly string[] {
  const formatHour = (time: string) => formatHourIn(zone, time)
  const how = source === 'scan' ? ', scanned' : ''
  const span = `${formatHour(from)} to ${formatHour(to)} (${zone}), by ${by}${how}`
  if (flows.length === 0) return [`No evaluations from ${span}, nor a week before.`]
  return [
    `${span}; the week before ends seven days before ${formatHour(finished)}.`,
    '',
    ...formatItemTable(columns(by), flows.flatMap(listRows), screen),
    ...flows.flatMap(formatMissing),
  ]
}

function listRows({ recipes, ...flow }: FlowView): readonly Row[] {
  const { flow_id, name = flow_id, imported } = flow
  return [
    { name, status: imported ? 'imported' : '', shown: { ...flow, recipes } },
    ...recipes.map((recipe) => ({
      name: `  ${recipe.name ?? recipe.recipe_id}`,
      status: recipe.status,
      shown: recipe,
    })),
  ]
}

/** Names that are printed of a flow; JSON has all. */
const missingMax = 10

function formatMissing({
  flow_id,
  name = flow_id,
  imported,
  missing,
}: FlowView): readonly string[] {
  if (missing.length === 0) return []
  const shown = missing
    .slice(0, missingMax)
    .map((one) => `${one.name} in ${formatCount(one.evaluations, 'evaluation')}`)
  const more = missing.length > missingMax ? [`and ${missing.length - missingMax} more names`] : []
  const flow = imported ? `${name}, imported` : name
  return ['', `Missing in ${flow}: ${[...shown, ...more].join('; ')}`]
}

/** A time at the start of an hour, as in `2026-11-23T07:00`, elsewhere with its distance from UTC. */
function formatHourIn(name: string, time: string): string {
  const zone = parseTimeZone(name) ?? utc
  return zone === utc ? time.slice(0, 16) : formatInZone(zone, Date.parse(time))
}

function formatNumber(value: number | null): string {
  return value === null ? '-' : value.toLocaleString('en')
}

function formatShare(share: number | null): string {
  return share === null ? '-' : `${(100 * share).toFixed(1)}%`
}

function formatWeekBefore({ evaluations, share }: FlowView['week_before']): string {
  return share === null ? '-' : `${formatShare(share)} of ${formatNumber(evaluations)}`
}

const heights = '▁▂▃▄▅▆▇█'
const lineMax = 48

/** A character for each value, or for several together where there are many; `-` where all are nothing. */
function drawLine(values: readonly number[]): string {
  const each = Math.ceil(values.length / lineMax)
  const sums: number[] = []
  for (const [at, value] of values.entries()) {
    const index = Math.floor(at / each)
    sums[index] = (sums[index] ?? 0) + value
  }
  return drawHeights(sums)
}

function drawHeights(values: readonly number[]): string {
  const most = Math.max(0, ...values)
  if (most === 0) return '-'
  return values
    .map((value) => (value === 0 ? '.' : heights.charAt(Math.ceil((8 * value) / most) - 1)))
    .join('')
}

/** The scores in steps of ten and at each threshold, behind a bar. */
function drawScores({ histogram, thresholds }: RecipeView): string {
  const tens = Array.from({ length: 10 }, (_, at) => 10 * at)
  const cuts = thresholds.filter((one) => one > 0 && one <= 100)
  const starts = [...new Set([...tens, ...cuts])].toSorted((a, b) => a - b)
  const sums = starts.map((start, at) => {
    const end = starts[at + 1] ?? Number.POSITIVE_INFINITY
    const inside = histogram.filter(({ score }) => start <= score && score < end)
    return inside.reduce((sum, { evaluations }) => sum + evaluations, 0)
  })
  const line = drawHeights(sums)
  if (line === '-') return line
  return [...line].map((one, at) => (cuts.includes(starts[at] ?? 0) ? `|${one}` : one)).join('')
}
