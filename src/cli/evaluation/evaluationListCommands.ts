/** Declares `vigil evaluations list` and `vigil tail`: search, export and follow evaluations. */

import { InvalidArgumentError } from 'commander'
import type {
  EvaluationWithReports,
  ListedEvaluation,
} from '../../queries/analysis/evaluationSearch.ts'
import type { EvaluationView } from '../../queries/evaluation/evaluationView.ts'
import type { Client } from '../connecting/client.ts'
import {
  type CommandDefinition,
  type FieldSources,
  fillFields,
  type OptionDefinitions,
  type ParameterName,
} from '../connecting/commandDefinition.ts'
import { exportCommand } from '../connecting/exportCommand.ts'
import { encodePathSegment, type Invocation } from '../connecting/invocation.ts'
import { followLogList, printItems, readLogItems, readLogPage } from '../connecting/logLists.ts'
import {
  formatMoreLine,
  readList,
  readListPages,
  retryWhileUnavailable,
  timeOptions,
  timeQuery,
} from '../connecting/pagination.ts'
import { idOrNameArgument, namedResources } from '../connecting/resourceId.ts'
import { usageError } from '../terminal/cliError.ts'
import {
  fileFormats,
  integerOption,
  positionOption,
  timeFormats,
  timeOption,
} from '../terminal/optionValues.ts'
import { formatPersonal, printableJson } from '../terminal/screen.ts'
import { formatItemTable, type ItemColumns } from '../terminal/table.ts'
import { differenceCommand, evaluationsPath as path } from './evaluationCommands.ts'
import {
  buildEvaluationCsv,
  formatEvaluationLine,
  formatEvaluationTable,
  type WithOptionalTarget,
} from './evaluationListView.ts'

const filterOptions: OptionDefinitions = {
  '--flow <flow>': idOrNameArgument(namedResources.flows, 'only of this flow: its name or id'),
  '--verdict <PASS|FLAG>': { description: 'only with this verdict', parse: parseVerdict },
}
const filter: FieldSources = { flow_id: '--flow', verdict: '--verdict' }
const search: FieldSources = {
  ...filter,
  phone_number: '--phone',
  email_address: '--email',
  ip: '--ip',
  device_id: '--device',
  correlation_id: '--correlation-id',
  where: '--where',
  ...timeQuery,
}
/** Options that make a list a search. */
const searchSources: readonly ParameterName[] = [
  ...(['--phone', '--email', '--ip', '--device', '--correlation-id'] as const),
  ...(['--from', '--to', '--oldest-first', '--format', '--where'] as const),
]

/** Options that are conditions by their names. */
const conditionOptions: readonly ParameterName[] = [
  ...(['--flow', '--verdict', '--phone', '--email', '--ip', '--device'] as const),
  '--correlation-id',
]

const whereOption = {
  '--where <conditions>': 'only what fulfils them, such as "rule = rul_… and outcome = TRIGGERED"',
} as const

const exportPath = `${path}/export`

/** Under which an answer lists them. */
const name = 'evaluations'
const usualLimit = 20

export const evaluationListCommands: CommandDefinition = {
  summary: 'List recorded evaluations, and say why two differ.',
  example: 'vigil evaluations list',
  commands: {
    list: {
      summary: 'List recorded evaluations, newest first.',
      example: `vigil evaluations list --verdict FLAG --limit 50
vigil evaluations list --from yesterday --format csv > evaluations.csv`,
      options: {
        ...filterOptions,
        '--phone <number>': 'only of this phone number, with later reports on it',
        '--email <address>': 'the same for this email address',
        '--ip <address>': 'the same for this IP address',
        '--device <id>': 'the same for this device id',
        '--correlation-id <id>': 'the same for this correlation id',
        ...timeOptions,
        ...whereOption,
        '--columns <names>': 'with --where: what to print of each, separated by commas',
        '--limit <n>': integerOption(`the most to print; ${usualLimit}, or all with --format`),
        '--before <position>': integerOption('only those before this position of the log'),
        '--show-target': 'print the end user of each, from its record (needs the scope analyse)',
        '--format <format>': {
          description: 'write them page by page, for programs',
          choices: fileFormats,
        },
      },
      check: (invocation) => {
        if (isSearch(invocation) && invocation.given('--before') !== undefined) {
          throw usageError('--before goes back in the log; a search is bounded by --from and --to.')
        }
        checkColumns(invocation)
      },
      run: (invocation) => {
        if (invocation.given('--columns') !== undefined) return printMatching(invocation)
        if (invocation.given('--format') !== undefined) return writeFound(invocation)
        return isSearch(invocation) ? printFound(invocation) : printLatest(invocation)
      },
    },
    export: exportCommand({
      summary: 'Write evaluations to a file, a row each, newest first.',
      example: `vigil evaluations export flagged.parquet --where 'verdict = FLAG' --from 30d
vigil evaluations export flagged.csv --columns score,rules,signal.ip,ext.shop_country,labels`,
      path: exportPath,
      options: {
        ...whereOption,
        ...timeOptions,
        '--from <time>': timeOption(
          `from this time on: ${timeFormats}; a week before --to by default`,
        ),
      },
      query: { where: '--where', ...timeQuery },
    }),
    difference: differenceCommand,
  },
}

function parseVerdict(given: string): string {
  const word = given.toUpperCase()
  if (word === 'PASS' || word === 'FLAG') return word
  throw new InvalidArgumentError('Must be PASS or FLAG.')
}

function isSearch({ given }: Invocation): boolean {
  return searchSources.some((source) => given(source) !== undefined)
}

/** Prints the newest evaluations, back from `--before` on. */
async function printLatest({ client, given, print, screen }: Invocation): Promise<undefined> {
  const query = fillFields({ ...filter, before: '--before' }, given)
  const count = given<number>('--limit') ?? usualLimit
  const list = { path, name, query }
  const { items, nextBefore } = await readLogItems<ListedEvaluation>(client, list, count)
  const newest = items.toReversed()
  const shown = given('--show-target') ? await fetchTargets(client, newest) : newest
  print({ evaluations: shown, next_before: nextBefore }, () => [
    ...formatEvaluationTable(shown, screen),
    ...(nextBefore === undefined ? [] : [`There may be older ones: --before ${nextBefore}`]),
  ])
}

/** Prints up to a limit of what is found. */
async function printFound({ client, given, print, screen }: Invocation): Promise<undefined> {
  const limit = given<number>('--limit') ?? usualLimit
  const listed = { path, name, query: fillFields(search, given), limit }
  const { items, hasMore } = await readList<EvaluationWithReports>(client, listed)
  const shown = given('--show-target') ? await fetchTargets(client, items) : items
  print({ evaluations: shown, more: hasMore }, () => [
    ...formatEvaluationTable(shown, screen),
    ...formatMoreLine(hasMore, limit),
  ])
}

function checkColumns({ given }: Invocation): void {
  if (given('--columns') === undefined) return
  if (given('--where') === undefined) throw usageError('--columns needs --where.')
  for (const other of ['--show-target', '--format'] as const) {
    if (given(other) === undefined) continue
    throw usageError(`--columns does not go with ${other}: vigil evaluations export writes files.`)
  }
}

interface MatchingRow {
  readonly id: string
  readonly [column: string]: unknown
}

/** Prints up to a limit of those that fulfil conditions, with the columns that are asked for. */
async function printMatching({ client, given, print, screen }: Invocation): Promise<undefined> {
  const limit = given<number>('--limit') ?? usualLimit
  const options = conditionOptions.flatMap((option) => {
    const name = option.slice(2).replace('-', '_')
    return given(option) === undefined ? [] : [`${name} = ${JSON.stringify(given(option))}`]
  })
  const where = [given('--where'), ...options].join(' and ')
  const columns = given('--columns')
  const query = { ...fillFields(timeQuery, given), where, columns, limit: limit + 1 }
  const pieces: Uint8Array[] = []
  const receive = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const piece of body) pieces.push(piece)
  }
  await client('GET', exportPath, { query, receive })
  const lines = String(Buffer.concat(pieces)).split('\n').slice(0, -1)
  const found = lines.map((line) => JSON.parse(line) as MatchingRow)
  const rows = found.slice(0, limit)
  const hasMore = found.length > limit
  // those that no row has are left out
  const names = new Set(rows.flatMap((row) => Object.keys(row)))
  const table: ItemColumns<MatchingRow> = Object.fromEntries(
    [...names].map((column) => [
      column,
      { cell: (row: MatchingRow) => formatValue(row[column]), narrow: 'wrap' as const },
    ]),
  )
  print({ evaluations: rows, more: hasMore }, () => [
    ...(rows.length === 0 ? ['No evaluations.'] : formatItemTable(table, rows, screen)),
    ...formatMoreLine(hasMore, limit),
  ])
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  return value === undefined || value === null ? '' : String(value)
}

/** Writes what is found page by page, without a limit by default. */
async function writeFound({ client, context, given }: Invocation): Promise<undefined> {
  const again: Client = (...call) => retryWhileUnavailable(context, () => client(...call))
  const isCsv = given('--format') === 'csv'
  const showTarget = given<boolean>('--show-target') === true
  const limit = given<number>('--limit') ?? Number.POSITIVE_INFINITY
  const listed = { path, name, query: fillFields(search, given), limit }
  const csv = buildEvaluationCsv(showTarget)
  let header = isCsv ? csv.header : ''
  for await (const { items } of readListPages<EvaluationWithReports>(again, listed)) {
    const shown = showTarget ? await fetchTargets(again, items) : items
    const lines = shown.map((one) => (isCsv ? csv.line(one) : `${printableJson(one, 0)}\n`))
    context.stdout.write(header + lines.join(''))
    header = ''
  }
}

/** Adds the target of each evaluation, with one request per record. */
async function fetchTargets<Evaluation extends { readonly id: string }>(
  client: Client,
  evaluations: readonly Evaluation[],
): Promise<readonly (Evaluation & WithOptionalTarget)[]> {
  const shown: (Evaluation & WithOptionalTarget)[] = []
  for (const evaluation of evaluations) {
    const recordPath = `${path}/${encodePathSegment(evaluation.id)}`
    const record = await client<EvaluationView>('GET', recordPath)
    shown.push({ ...evaluation, target: readTarget(record) })
  }
  return shown
}

function readTarget({ evidence }: EvaluationView): NonNullable<WithOptionalTarget['target']> {
  if ('forgotten' in evidence) return { forgotten: true }
  const named = evidence.filter(({ name }) => name.startsWith('target.'))
  return Object.fromEntries(
    named.map(({ name, value }) => [name.slice('target.'.length), formatPersonal(value)]),
  )
}

export const tailCommand: CommandDefinition = {
  summary:
    'Print evaluations as they happen, one per line, until Ctrl-C; with --json one object each.',
  example: '--verdict FLAG',
  options: {
    ...filterOptions,
    '--after <position>': positionOption('start after this position of the log, not now'),
    '--count <n>': integerOption(
      'print the last n and end; with --after the next n after it',
      1,
      10_000,
    ),
  },
  run: tail,
}

async function tail(invocation: Invocation): Promise<undefined> {
  const { client, given, paint } = invocation
  const list = { path, name, query: fillFields(filter, given) }
  const format = (evaluation: ListedEvaluation) => formatEvaluationLine(evaluation, paint)
  const [after, count] = [given<number>('--after'), given<number>('--count')]
  if (count !== undefined && after === undefined) {
    const { items } = await readLogItems<ListedEvaluation>(client, list, count)
    printItems(invocation, items, format)
    return
  }
  // later ones are new
  const newest = () => readLogPage(client, { ...list, query: {} }, { limit: 1 })
  await followLogList<ListedEvaluation>(invocation, {
    list,
    start: after?.toString() ?? (await newest()).nextAfter,
    count: count ?? Number.POSITIVE_INFINITY,
    format,
    noun: 'evaluation',
  })
}
