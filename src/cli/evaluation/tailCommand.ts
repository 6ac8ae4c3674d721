/** Declares `vigil tail`: prints evaluations as they are recorded. */

import type { WatchedEvaluation } from '../../queries/analysis/namedEvaluations.ts'
import type { Client } from '../connecting/client.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import { type FollowedPage, follow, nextAfterOf } from '../connecting/follow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { entriesOf } from '../connecting/search.ts'
import { type ExitCode, exitCodes } from '../terminal/cliError.ts'
import { wholeNumber } from '../terminal/describe.ts'
import { printableJson } from '../terminal/screen.ts'
import { evaluationsPath as path } from './evaluationId.ts'
import { type EvaluationFilter, flowIdOf, lastEvaluations } from './lastEvaluations.ts'
import { filterOptions } from './listCommand.ts'
import { watchedLine } from './watchedView.ts'

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
