/** `vigil evaluations list`: what is on record, the newest first. */

import { type Command, InvalidArgumentError } from 'commander'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { wholeNumber } from '../terminal/collect.ts'
import { describe } from '../terminal/describe.ts'
import { type EvaluationFilter, lastEvaluations } from './lastEvaluations.ts'
import { watchedTable } from './watchedView.ts'

const listed = { default: 20, max: 10_000 }

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
  withFilter(command)
    .option('--limit <n>', 'so many at most', wholeNumber(1, listed.max), listed.default)
    .option('--before <position>', 'only those before this position of the log', position)
    .action(serve<ListOptions>(run, list))
}

const position = wholeNumber(1, Number.MAX_SAFE_INTEGER)

interface ListOptions extends EvaluationFilter {
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

async function list(
  { client, print, screen }: Invocation,
  { limit, before, ...filter }: ListOptions,
): Promise<undefined> {
  const { evaluations, nextBefore } = await lastEvaluations(await client(), {
    ...filter,
    count: limit,
    ...(before !== undefined && { before: String(before) }),
  })
  print({ evaluations, next_before: nextBefore }, () => [
    ...watchedTable(evaluations, screen),
    ...(nextBefore === undefined ? [] : [`There may be older ones: --before ${nextBefore}`]),
  ])
}
