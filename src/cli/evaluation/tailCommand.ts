/** Adds `vigil tail`: prints evaluations as they are recorded. */

import type { Command } from 'commander'
import type { WatchedEvaluation } from '../../queries/analysis/namedEvaluations.ts'
import type { Client } from '../connecting/client.ts'
import { type FollowedPage, follow, nextAfterOf } from '../connecting/follow.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { entriesOf } from '../connecting/search.ts'
import { type ExitCode, exitCodes } from '../terminal/cliError.ts'
import { describe, wholeNumber } from '../terminal/describe.ts'
import { printableJson } from '../terminal/screen.ts'
import { evaluationsPath as path } from './evaluationId.ts'
import { type EvaluationFilter, flowIdOf, lastEvaluations } from './lastEvaluations.ts'
import { withFilter } from './listCommand.ts'
import { watchedLine } from './watchedView.ts'

const perPage = 100

/** Adds `tail`. */
export function addTailCommand(program: Command, run: Run): void {
  const command = describe(program, {
    usage: 'tail',
    summary:
      'Print evaluations as they happen, a line each, until Ctrl-C; with --json an object each.',
    example: 'vigil tail --verdict FLAG',
  })
  withFilter(command)
    .option('--after <position>', 'start behind this position of the log, not now', position)
    .option(
      '--count <n>',
      'print the last so many and end; with --after the next so many behind it',
      wholeNumber(1, countMax),
    )
    .action(serve<TailOptions>(run, tail))
}

const position = wholeNumber(0, Number.MAX_SAFE_INTEGER)
const countMax = 10_000

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

/** The last so many, in the order in which they happened. */
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
  const start = options.after === undefined ? await presentOf(client) : String(options.after)
  await follow<WatchedEvaluation>(invocation, {
    start,
    count: options.count ?? Number.POSITIVE_INFINITY,
    perPage,
    ask: (after) => askPage(client, { ...options, flow }, after),
    print: (evaluation) => print(invocation, evaluation),
    nouns: ['evaluation', 'evaluations'],
  })
}

/** Where the log is now; what comes behind it is new. */
async function presentOf(client: Client): Promise<string | undefined> {
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
