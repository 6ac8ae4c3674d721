/** Adds `vigil evaluations list`: lists, searches and exports recorded evaluations. */

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { FollowedEvaluation } from '../../queries/analysis/namedEvaluations.ts'
import type { Client } from '../connecting/client.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import {
  pagesOf,
  patiently,
  searchPages,
  type TimeOptions,
  timesOf,
  withTimes,
} from '../connecting/search.ts'
import { type Format, formats } from '../lists/rowBatches.ts'
import { usageError } from '../terminal/cliError.ts'
import { describe, wholeNumber } from '../terminal/describe.ts'
import { printableJson } from '../terminal/screen.ts'
import { addDifferenceCommand } from './differenceCommand.ts'
import { evaluationsPath } from './evaluationId.ts'
import { type EvaluationFilter, flowIdOf, lastEvaluations } from './lastEvaluations.ts'
import { withTargets } from './shownTargets.ts'
import { csvRow, csvTitles, followedTable, watchedTable } from './watchedView.ts'

/** Adds `evaluations` with `list` and `difference`. */
export function addListCommand(program: Command, run: Run): void {
  const evaluations = describe(program, {
    usage: 'evaluations',
    summary: 'List recorded evaluations, and say why two differ.',
    example: 'vigil evaluations list',
  })
  addDifferenceCommand(evaluations, run)
  const command = describe(evaluations, {
    usage: 'list',
    summary: 'List recorded evaluations, the newest first.',
    example: `vigil evaluations list --verdict FLAG --limit 50
vigil evaluations list --from yesterday --format csv > evaluations.csv`,
  })
  withSearch(withFilter(command))
    .option(
      '--limit <n>',
      `so many at most; ${usualLimit}, or with --format all`,
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--before <position>', 'only those before this position of the log', position)
    .option('--show-target', 'whose they are, from each record (needs the scope analyse)')
    .addOption(
      new Option('--format <format>', 'write them as they are found, for programs').choices(
        formats,
      ),
    )
    .action(serve<ListOptions>(run, list))
}

const usualLimit = 20

const position = wholeNumber(1, Number.MAX_SAFE_INTEGER)

interface ListOptions extends EvaluationFilter, SearchOptions {
  readonly limit?: number
  readonly before?: number
  readonly showTarget?: boolean
  readonly format?: Format
}

/** Adds `--flow` and `--verdict`. */
export function withFilter(command: Command): Command {
  return command
    .option('--flow <flow>', 'only of this flow: its name or id')
    .option('--verdict <PASS|FLAG>', 'only with this verdict', verdict)
}

function verdict(given: string): string {
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

/** What makes a list a search. */
interface SearchOptions extends TimeOptions {
  readonly phone?: string
  readonly email?: string
  readonly ip?: string
  readonly device?: string
  readonly correlationId?: string
}

/** Adds the options. */
function withSearch(command: Command): Command {
  const sought = command
    .option('--phone <number>', 'only of this phone number, with what was reported afterwards')
    .option('--email <address>', 'the same of this email address')
    .option('--ip <address>', 'the same of this IP address')
    .option('--device <id>', 'the same of this device id')
    .option('--correlation-id <id>', 'the same of this correlation id')
  return withTimes(sought)
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

/** Prints what is found. */
async function search(invocation: Invocation, options: ListOptions): Promise<undefined> {
  const { limit = usualLimit, showTarget } = options
  const client = await invocation.client()
  const sought = await soughtOf(invocation, client, options)
  const { items, hasMore } = await searchPages<FollowedEvaluation>(client, { ...sought, limit })
  const shown = showTarget ? await withTargets(client, items) : items
  invocation.print({ evaluations: shown, more: hasMore }, () => [
    ...followedTable(shown, invocation.screen),
    ...(hasMore ? [`There may be more than ${limit}: --limit N, --from, --to`] : []),
  ])
}

/** Writes what is found page by page, with no end but that of the record. */
async function write(
  invocation: Invocation,
  { limit = Number.POSITIVE_INFINITY, showTarget = false, ...options }: ListOptions,
  format: Format,
): Promise<undefined> {
  const { context } = invocation
  const client = await invocation.client()
  const again: Client = (...call) => patiently(context, () => client(...call))
  const sought = await soughtOf(invocation, client, options)
  let left = limit
  if (format === 'csv') context.stdout.write(csvTitles(showTarget))
  const listed = { ...sought, pagesMax: Number.POSITIVE_INFINITY }
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

async function soughtOf(
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
