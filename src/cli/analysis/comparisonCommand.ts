/** `vigil recipes compare`: where two recipes agreed in recorded evaluations. */

import type { Command } from 'commander'
import type { ComparisonView } from '../../service/analysis/analysisPart.ts'
import type { Client } from '../connecting/client.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { kindFacts } from '../rulebook/folder/kind.ts'
import { resourceId } from '../rulebook/resourceId.ts'
import { cliError, usageError } from '../terminal/cliError.ts'
import { isoTime } from '../terminal/collect.ts'
import { describe } from '../terminal/describe.ts'
import { type ExitCode, exitCodes } from '../terminal/exitCode.ts'
import { openProgress } from '../terminal/progress.ts'
import { comparisonLines } from './comparisonView.ts'
import { sumComparisons } from './sumComparisons.ts'

const pagesMax = 10_000

/** Adds `compare` to `vigil recipes`. */
export function addComparisonCommand(recipes: Command, run: Run): void {
  describe(recipes, {
    usage: 'compare',
    takes: { '<recipe>': 'its id or name', '<other>': 'the id or name of another' },
    summary: 'Count where two recipes agreed in the evaluations in which both ran.',
    example:
      'vigil recipes compare rcp_01jc0t6fwwfgfsq1md24mhyztj rcp_01jc0t6fwxe5a8fq2m0v7sj4nd --from 2026-11-01T00:00:00Z',
  })
    .option('--from <time>', 'ISO 8601 with a zone; a week before --to by default', isoTime)
    .option('--to <time>', 'up to this time, not included; now by default', isoTime)
    .option('--all', 'look at every evaluation of the time, not at the newest only')
    .option('--exit-code', `end with ${exitCodes.differences} when their verdicts differ`)
    .action(serve<CompareOptions>(run, compare))
}

interface CompareOptions {
  readonly from?: string
  readonly to?: string
  readonly all?: boolean
  readonly exitCode?: boolean
}

async function compare(
  invocation: Invocation,
  { from, to, all, exitCode }: CompareOptions,
  ...args: readonly string[]
): Promise<ExitCode> {
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) {
    throw usageError('--from must be before --to.')
  }
  const client = await invocation.client()
  const id = await resourceId(client, { kind: 'recipes' }, args[0] ?? '')
  const other = await resourceId(client, { kind: 'recipes' }, args[1] ?? '')
  if (id === other) throw usageError('A recipe is compared with another one.')
  const path = `${kindFacts.recipes.path}/${id}/comparison`
  const query = { with: other, from, to }
  const { body: first } = await client<ComparisonView>('GET', path, { query })
  const found = all ? await compareRest(invocation, { client, path, first }) : first
  invocation.print(found, () => comparisonLines(found, invocation.screen))
  return exitCode && found.differences > 0 ? exitCodes.differences : exitCodes.done
}

interface Rest {
  readonly client: Client
  readonly path: string
  readonly first: ComparisonView
}

/** Asks on where each answer ended, within the time of the first, and adds up. */
async function compareRest(
  { context, flags }: Invocation,
  { client, path, first }: Rest,
): Promise<ComparisonView> {
  const progress = openProgress(context, flags)
  const { with: other, from, to } = first
  let sum = first
  try {
    for (let page = 1; sum.next_cursor !== undefined; page += 1) {
      if (page > pagesMax) {
        throw cliError('There is no end to the evaluations.', exitCodes.unreachable, {
          code: 'too_many',
        })
      }
      progress.show(`comparing: ${sum.scanned} evaluations`)
      const query = { with: other, from, to, cursor: sum.next_cursor }
      const { body } = await client<ComparisonView>('GET', path, { query })
      sum = sumComparisons(sum, body)
    }
    return sum
  } finally {
    progress.clear()
  }
}
