/** `vigil evaluations list`: what is on record, the newest first. */

import { type Command, InvalidArgumentError } from 'commander'
import type { FollowedEvaluation } from '../../service/analysis/analysisPart.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import {
  searchPages,
  type TimeOptions,
  timesOf,
  withLimit,
  withTimes,
} from '../connecting/search.ts'
import { usageError } from '../terminal/cliError.ts'
import { describe, wholeNumber } from '../terminal/describe.ts'
import { evaluationsPath } from './evaluationId.ts'
import { type EvaluationFilter, flowIdOf, lastEvaluations } from './lastEvaluations.ts'
import { followedTable, watchedTable } from './watchedView.ts'

/** Adds `evaluations` with `list`. */
export function addListCommand(program: Command, run: Run): void {
  const evaluations = describe(program, {
    usage: 'evaluations',
    summary: 'List recorded evaluations.',
    example: 'vigil evaluations list',
  })
  const command = describe(evaluations, {
    usage: 'list',
    summary: 'List recorded evaluations, the newest first.',
    example: 'vigil evaluations list --verdict FLAG --limit 50',
  })
  withLimit(withSearch(withFilter(command)))
    .option('--before <position>', 'only those before this position of the log', position)
    .action(serve<ListOptions>(run, list))
}

const position = wholeNumber(1, Number.MAX_SAFE_INTEGER)

interface ListOptions extends EvaluationFilter, SearchOptions {
  readonly limit: number
  readonly before?: number
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
  const { client, print, screen } = invocation
  const { limit, before, flow, verdict: only } = options
  if (isSearch(options)) {
    if (before === undefined) return search(invocation, options)
    throw usageError('--before goes back in the log; a search is bounded by --from and --to.')
  }
  const { evaluations, nextBefore } = await lastEvaluations(await client(), {
    ...(flow !== undefined && { flow }),
    ...(only !== undefined && { verdict: only }),
    count: limit,
    ...(before !== undefined && { before: String(before) }),
  })
  print({ evaluations, next_before: nextBefore }, () => [
    ...watchedTable(evaluations, screen),
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
async function search(
  { client: clientOf, print, screen }: Invocation,
  options: SearchOptions & EvaluationFilter & { readonly limit: number },
): Promise<undefined> {
  const { phone, email, ip, device, correlationId, verdict, limit } = options
  const client = await clientOf()
  const { items, hasMore } = await searchPages<FollowedEvaluation>(client, {
    path: evaluationsPath,
    name: 'evaluations',
    query: {
      flow_id: await flowIdOf(client, options),
      verdict,
      phone_number: phone,
      email_address: email,
      ip,
      device_id: device,
      correlation_id: correlationId,
      ...timesOf(options),
    },
    limit,
  })
  print({ evaluations: items, more: hasMore }, () => [
    ...followedTable(items, screen),
    ...(hasMore ? [`There may be more than ${limit}: --limit N, --from, --to`] : []),
  ])
}
