/** Adds `vigil recompute`: recomputes all evaluations of a data folder and compares them. */

import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import type { RecomputedFolder } from '../../queries/audit/recomputeFolder.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { counted, dataOptions, masterKeyIn, onFolder, serversIn } from './onFolder.ts'

interface RecomputeFlags {
  readonly data?: string
  readonly threads?: string
}

const threadsMax = 64

/** Adds `recompute`, which reads the data folder itself, whether a service uses it or not. */
export function addRecomputeCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'recompute',
    summary:
      'Compute every evaluation of the data folder again from its record and compare (owner of the folder).',
    example: 'vigil recompute --data /var/lib/vigil',
  })
    .option('--data <folder>', dataOptions['--data <folder>'])
    .option('--threads <count>', 'threads that compute (default: one for each processor)')
    .action(serve<RecomputeFlags>(run, recompute))
}

async function recompute(
  invocation: Invocation,
  { data, threads }: RecomputeFlags,
): Promise<ExitCode> {
  const { context, print } = invocation
  const { environment } = context
  serversIn(environment)
  const made = await onFolder(invocation, async (long) => {
    // Loaded only here: every other command is a client, and starts without the stores.
    const { recomputeFolder } = await import('../../queries/audit/recomputeFolder.ts')
    return recomputeFolder({
      ...long,
      dataFolder: data ?? environment.dataFolder,
      masterKey: masterKeyIn(environment.masterKey),
      threads: threadsIn(threads),
    })
  })
  print(shown(made), () => recomputedLines(made))
  return made.others > 0 ? exitCodes.differences : exitCodes.done
}

function threadsIn(text: string | undefined): number {
  if (text === undefined) return Math.min(threadsMax, availableParallelism())
  const threads = Number(text)
  if (Number.isInteger(threads) && threads >= 1 && threads <= threadsMax) return threads
  throw usageError(`--threads takes a whole number from 1 to ${threadsMax}, not ${text}`)
}

/** Positions as the interface has them: texts. */
function shown({ position, findings, ...made }: RecomputedFolder) {
  return {
    ...made,
    position: String(position),
    findings: findings.map((finding) => ({ ...finding, position: String(finding.position) })),
  }
}

function recomputedLines({ folder, same, forgotten, others, findings }: RecomputedFolder) {
  return [
    `${counted(same, 'evaluation')} of ${folder} computed again: the same to the byte.`,
    ...(forgotten > 0
      ? [
          `${counted(forgotten, 'evaluation')} cannot be: their evidence was erased with its subject.`,
        ]
      : []),
    ...(others > 0
      ? [
          `${counted(others, 'evaluation')} ${others === 1 ? 'differs' : 'differ'} or cannot be computed again:`,
        ]
      : []),
    ...findings.map(
      ({ evaluation_id, position, why }) => `  ${evaluation_id} at ${position}: ${why}`,
    ),
    ...(others > findings.length
      ? [`  and ${(others - findings.length).toLocaleString('en')} more`]
      : []),
  ]
}
