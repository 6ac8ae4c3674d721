/** `vigil tail`: evaluations as they happen. */

import type { Command } from 'commander'
import type { WatchedEvaluation } from '../../service/analysis/analysisPart.ts'
import type { Body, Client } from '../connecting/client.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { entriesOf } from '../connecting/search.ts'
import { type ExitCode, exitCodes, isCliError } from '../terminal/cliError.ts'
import { describe, wholeNumber } from '../terminal/describe.ts'
import { printable, printableJson } from '../terminal/screen.ts'
import { evaluationsPath as path } from './evaluationId.ts'
import { type EvaluationFilter, flowIdOf, lastEvaluations } from './lastEvaluations.ts'
import { withFilter } from './listCommand.ts'
import { watchedLine } from './watchedView.ts'

const perPage = 100

/** How long to rest when nothing is new, doubled from the one to the other; and when the service does not answer. */
const rests = { leastMs: 250, mostMs: 4_000, failingMostMs: 30_000 }
/** Failures in a row after which it gives up. */
const failuresMax = 10

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

interface Page {
  readonly evaluations: readonly WatchedEvaluation[]
  readonly nextAfter: string | undefined
}

type Ask = (after: string | undefined) => Promise<Page>

async function tail(invocation: Invocation, options: TailOptions): Promise<ExitCode> {
  const client = await invocation.client()
  try {
    if (options.count !== undefined && options.after === undefined) {
      await printLast(invocation, client, { ...options, count: options.count })
    } else {
      await followFrom(invocation, client, options)
    }
  } catch (thrown) {
    // Ctrl-C is how it is meant to end
    if (!invocation.context.interrupted.aborted) throw thrown
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
  await follow(invocation, (after) => askPage(client, { ...options, flow }, after), {
    start,
    count: options.count ?? Number.POSITIVE_INFINITY,
  })
}

interface Following {
  readonly start: string | undefined
  readonly count: number
}

async function follow(
  invocation: Invocation,
  ask: Ask,
  { start, count }: Following,
): Promise<void> {
  const { context } = invocation
  let after = start
  let left = count
  let restMs = rests.leastMs
  let isWaiting = false
  while (left > 0 && !context.interrupted.aborted) {
    const page = await patiently(invocation, () => ask(after))
    for (const evaluation of page.evaluations.slice(0, left)) print(invocation, evaluation)
    left -= page.evaluations.length
    const isMoving = page.nextAfter !== after
    after = page.nextAfter
    restMs = isMoving ? rests.leastMs : Math.min(restMs * 2, rests.mostMs)
    if (left > 0 && page.evaluations.length < perPage) {
      if (!isWaiting) sayWaiting(invocation, { left, after })
      isWaiting = true
      await context.pause(restMs)
    }
  }
}

interface Awaited {
  readonly left: number
  readonly after: string | undefined
}

/** Once, when not all that are wanted have happened yet; who follows without an end knows that it waits. */
function sayWaiting({ context }: Invocation, { left, after }: Awaited): void {
  if (!Number.isFinite(left)) return
  const evaluations = left === 1 ? 'evaluation' : 'evaluations'
  const behind = after === undefined ? '' : ` behind position ${printable(after)}`
  context.stderr.write(`Waiting for ${left} more ${evaluations}${behind}; Ctrl-C ends it.\n`)
}

/** Where the log is now; what comes behind it is new. */
async function presentOf(client: Client): Promise<string | undefined> {
  const { body } = await client('GET', path, { query: { limit: 1 } })
  return nextAfter(body)
}

function nextAfter(body: Body): string | undefined {
  const { next_after: given } = body
  return typeof given === 'number' || typeof given === 'string' ? String(given) : undefined
}

async function askPage(
  client: Client,
  { flow, verdict }: Pick<TailOptions, 'verdict'> & { readonly flow: string | undefined },
  after: string | undefined,
): Promise<Page> {
  const query = { after, limit: perPage, flow_id: flow, verdict }
  const { body } = await client('GET', path, { query })
  const evaluations = entriesOf<WatchedEvaluation>(body, 'evaluations')
  return { evaluations, nextAfter: nextAfter(body) ?? after }
}

/** Asks again, at growing intervals, while the service cannot be reached or fails; a refusal ends it. */
async function patiently<Value>(
  { context }: Invocation,
  ask: () => Promise<Value>,
): Promise<Value> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await ask()
    } catch (thrown) {
      const isPassing = isCliError(thrown) && thrown.exitCode === exitCodes.unreachable
      if (!isPassing || failures === failuresMax) throw thrown
      if (failures === 1) context.stderr.write(`${printable(thrown.message)} Trying again.\n`)
    }
    await context.pause(Math.min(rests.leastMs * 2 ** failures, rests.failingMostMs))
  }
}

function print({ context, flags, paint }: Invocation, evaluation: WatchedEvaluation): void {
  const line = flags.json ? printableJson(evaluation, 0) : watchedLine(evaluation, paint)
  context.stdout.write(`${line}\n`)
}
