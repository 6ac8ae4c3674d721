/** Declares `vigil evaluations list` and `vigil tail`: searches, exports and follows evaluations. */

import { InvalidArgumentError } from 'commander'
import type {
  FollowedEvaluation,
  WatchedEvaluation,
} from '../../queries/analysis/namedEvaluations.ts'
import type { Client } from '../connecting/client.ts'
import type { CommandRow, Options } from '../connecting/commandRow.ts'
import { type FollowedPage, follow, nextAfterOf } from '../connecting/follow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import {
  entriesOf,
  pagesOf,
  retryWhileUnavailable,
  searchPages,
  type TimeOptions,
  timeOptions,
  timesOf,
} from '../connecting/pagination.ts'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import { type FileFormat, fileFormats, wholeNumber } from '../terminal/describe.ts'
import { printableJson } from '../terminal/screen.ts'
import { differenceCommand } from './differenceCommand.ts'
import {
  type EvaluationFilter,
  evaluationsPath,
  flowIdOf,
  lastEvaluations,
  evaluationsPath as path,
  withTargets,
} from './recordedEvaluations.ts'
import { csvRow, csvTitles, followedTable, watchedLine, watchedTable } from './watchedView.ts'

/** `--flow` and `--verdict`. */
const filterOptions: Options = {
  '--flow <flow>': 'only of this flow: its name or id',
  '--verdict <PASS|FLAG>': { meaning: 'only with this verdict', parse: verdictOf },
}

const usualLimit = 20
const most = Number.MAX_SAFE_INTEGER

export const evaluationListCommands: CommandRow = {
  usage: 'evaluations',
  summary: 'List recorded evaluations, and say why two differ.',
  example: 'vigil evaluations list',
  commands: [
    {
      usage: 'list',
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
        '--limit <n>': {
          meaning: `the most to print; ${usualLimit}, or all with --format`,
          parse: wholeNumber(1, most),
        },
        '--before <position>': {
          meaning: 'only those before this position of the log',
          parse: wholeNumber(1, most),
        },
        '--show-target': 'print the end user of each, from its record (needs the scope analyse)',
        '--format <format>': {
          meaning: 'write them page by page, for programs',
          choices: fileFormats,
        },
      },
      run: list,
    },
    differenceCommand,
  ],
}

interface ListOptions extends EvaluationFilter, SearchOptions {
  readonly limit?: number
  readonly before?: number
  readonly showTarget?: boolean
  readonly format?: FileFormat
}

function verdictOf(given: string): string {
  const word = given.toUpperCase()
  if (word === 'PASS' || word === 'FLAG') return word
  throw new InvalidArgumentError('Must be PASS or FLAG.')
}

async function list(invocation: Invocation, options: ListOptions): Promise<undefined> {
  const { limit = usualLimit, before, flow, verdict: only, format } = options
  if (isSearch(options) || format !== undefined) {
    if (before !== undefined) {
      throw usageError('--before goes back in the log; a search is bounded by --from and --to.')
    }
    return format === undefined ? search(invocation, options) : write(invocation, options, format)
  }
  const client = await invocation.client()
  const { evaluations, nextBefore } = await lastEvaluations(client, {
    ...(flow !== undefined && { flow }),
    ...(only !== undefined && { verdict: only }),
    count: limit,
    ...(before !== undefined && { before: String(before) }),
  })
  const shown = options.showTarget ? await withTargets(client, evaluations) : evaluations
  invocation.print({ evaluations: shown, next_before: nextBefore }, () => [
    ...watchedTable(shown, invocation.screen),
    ...(nextBefore === undefined ? [] : [`There may be older ones: --before ${nextBefore}`]),
  ])
}

/** Options that make a list a search. */
interface SearchOptions extends TimeOptions {
  readonly phone?: string
  readonly email?: string
  readonly ip?: string
  readonly device?: string
  readonly correlationId?: string
}

/** Whether any of them was given. */
function isSearch({
  phone,
  email,
  ip,
  device,
  correlationId,
  from,
  to,
  oldestFirst,
}: SearchOptions): boolean {
  return [phone, email, ip, device, correlationId, from, to, oldestFirst].some(
    (option) => option !== undefined,
  )
}

/** Prints up to a limit of what is found. */
async function search(invocation: Invocation, options: ListOptions): Promise<undefined> {
  const { limit = usualLimit, showTarget } = options
  const client = await invocation.client()
  const found = await searchOf(invocation, client, options)
  const { items, hasMore } = await searchPages<FollowedEvaluation>(client, { ...found, limit })
  const shown = showTarget ? await withTargets(client, items) : items
  invocation.print({ evaluations: shown, more: hasMore }, () => [
    ...followedTable(shown, invocation.screen),
    ...(hasMore ? [`There may be more than ${limit}: --limit N, --from, --to`] : []),
  ])
}

/** Writes what is found page by page, without a limit by default. */
async function write(
  invocation: Invocation,
  { limit = Number.POSITIVE_INFINITY, showTarget = false, ...options }: ListOptions,
  format: FileFormat,
): Promise<undefined> {
  const { context } = invocation
  const client = await invocation.client()
  const again: Client = (...call) => retryWhileUnavailable(context, () => client(...call))
  const found = await searchOf(invocation, client, options)
  let left = limit
  if (format === 'csv') context.stdout.write(csvTitles(showTarget))
  const listed = { ...found, pagesMax: Number.POSITIVE_INFINITY }
  for await (const page of pagesOf<FollowedEvaluation>(again, listed)) {
    const wanted = page.slice(0, left)
    const shown = showTarget ? await withTargets(again, wanted) : wanted
    const lines = shown.map((one) =>
      format === 'csv' ? csvRow(one) : `${printableJson(one, 0)}\n`,
    )
    context.stdout.write(lines.join(''))
    left -= wanted.length
    if (left === 0) return
  }
}

async function searchOf(
  { context }: Invocation,
  client: Client,
  options: SearchOptions & EvaluationFilter,
) {
  const { phone, email, ip, device, correlationId, verdict } = options
  const query = {
    flow_id: await flowIdOf(client, options),
    verdict,
    phone_number: phone,
    email_address: email,
    ip,
    device_id: device,
    correlation_id: correlationId,
    ...timesOf(options, context.nowMs()),
  }
  return { path: evaluationsPath, name: 'evaluations', query }
}

const perPage = 100

export const tailCommand: CommandRow = {
  usage: 'tail',
  summary:
    'Print evaluations as they happen, one per line, until Ctrl-C; with --json one object each.',
  example: 'vigil tail --verdict FLAG',
  options: {
    ...filterOptions,
    '--after <position>': {
      meaning: 'start after this position of the log, not now',
      parse: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    },
    '--count <n>': {
      meaning: 'print the last n and end; with --after the next n after it',
      parse: wholeNumber(1, 10_000),
    },
  },
  run: tail,
}

interface TailOptions extends EvaluationFilter {
  readonly after?: number
  readonly count?: number
}

async function tail(invocation: Invocation, options: TailOptions): Promise<ExitCode> {
  const client = await invocation.client()
  if (options.count !== undefined && options.after === undefined) {
    await printLast(invocation, client, { ...options, count: options.count })
  } else {
    await followFrom(invocation, client, options)
  }
  return exitCodes.done
}

/** Prints the last ones, in the order in which they happened. */
async function printLast(
  invocation: Invocation,
  client: Client,
  wanted: EvaluationFilter & { readonly count: number },
): Promise<void> {
  const { evaluations } = await lastEvaluations(client, wanted)
  for (const evaluation of evaluations.toReversed()) print(invocation, evaluation)
}

async function followFrom(
  invocation: Invocation,
  client: Client,
  options: TailOptions,
): Promise<void> {
  const flow = await flowIdOf(client, options)
  const start = options.after === undefined ? await currentPosition(client) : String(options.after)
  await follow<WatchedEvaluation>(invocation, {
    start,
    count: options.count ?? Number.POSITIVE_INFINITY,
    perPage,
    ask: (after) => askPage(client, { ...options, flow }, after),
    print: (evaluation) => print(invocation, evaluation),
    nouns: ['evaluation', 'evaluations'],
  })
}

/** The current position of the log; later ones are new. */
async function currentPosition(client: Client): Promise<string | undefined> {
  const { body } = await client('GET', path, { query: { limit: 1 } })
  return nextAfterOf(body)
}

async function askPage(
  client: Client,
  { flow, verdict }: Pick<TailOptions, 'verdict'> & { readonly flow: string | undefined },
  after: string | undefined,
): Promise<FollowedPage<WatchedEvaluation>> {
  const query = { after, limit: perPage, flow_id: flow, verdict }
  const { body } = await client('GET', path, { query })
  const evaluations = entriesOf<WatchedEvaluation>(body, 'evaluations')
  return { items: evaluations, nextAfter: nextAfterOf(body) ?? after }
}

function print({ context, flags, paint }: Invocation, evaluation: WatchedEvaluation): void {
  const line = flags.json ? printableJson(evaluation, 0) : watchedLine(evaluation, paint)
  context.stdout.write(`${line}\n`)
}
