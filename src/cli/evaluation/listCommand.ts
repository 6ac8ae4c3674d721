/** `vigil evaluations list`: what is on record, the newest first. */

import { type Command, InvalidArgumentError } from 'commander'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { withLimit } from '../connecting/search.ts'
import { usageError } from '../terminal/cliError.ts'
import { wholeNumber } from '../terminal/collect.ts'
import { describe } from '../terminal/describe.ts'
import { type EvaluationFilter, lastEvaluations } from './lastEvaluations.ts'
import { isSearch, type SearchOptions, search, withSearch } from './searchCommand.ts'
import { watchedTable } from './watchedView.ts'

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
