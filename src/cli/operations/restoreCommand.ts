/** `vigil restore`: what a data folder has lost, and going on without it. */

import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { masterKeyMistake, masterKeyOf } from '../../config.ts'
import type { Restored } from '../../service/operations/restoreFolder.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { isCliError, usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { type ExitCode, exitCodes } from '../terminal/exitCode.ts'

interface RestoreFlags {
  readonly data?: string
  readonly acceptLoss?: boolean
  readonly acceptKeyLoss?: boolean
}

/** Adds `restore`, the one command that works on the data folder itself, while the service is down. */
export function addRestoreCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'restore',
    summary:
      'Show what the data folder of a stopped service has lost, and let it start without that (owner of the folder).',
    example: 'vigil restore --data /var/lib/vigil --accept-loss',
  })
    .option('--data <folder>', 'the data folder (default: VIGIL_DATA, else ./data)')
    .option('--accept-loss', 'go on without the events that are lost, and record it in the log')
    .option('--accept-key-loss', 'go on without the sealing keys that are lost, and record it')
    .action(serve<RestoreFlags>(run, restore))
}

async function restore(
  { context, print }: Invocation,
  { data, acceptLoss = false, acceptKeyLoss = false }: RestoreFlags,
): Promise<ExitCode> {
  const { environment } = context
  const restored = await saidAsUsage(async () => {
    // Loaded only here: every other command is a client, and starts without the stores.
    const { restoreFolder } = await import('../../service/operations/restoreFolder.ts')
    return restoreFolder({
      dataFolder: data ?? environment.dataFolder,
      masterKey: masterKeyIn(environment.masterKey),
      accept: { log: acceptLoss, keys: acceptKeyLoss },
      clock: { nowMs: Date.now },
      chance: { bytes: (count) => new Uint8Array(randomBytes(count)) },
    })
  })
  print(restored, () => restoredLines(restored))
  const open = restored.losses.some(({ recorded_at }) => recorded_at === undefined)
  return open ? exitCodes.refused : exitCodes.done
}

function masterKeyIn(text: string | undefined): Uint8Array | undefined {
  const key = text === undefined ? undefined : masterKeyOf(text)
  if (text !== undefined && !key) throw usageError(masterKeyMistake)
  return key
}

/** What the folder is refused with is for the person at the terminal. */
async function saidAsUsage(work: () => Promise<Restored>): Promise<Restored> {
  try {
    return await work()
  } catch (error) {
    if (isCliError(error)) throw error
    throw usageError(error instanceof Error ? error.message : String(error))
  }
}

function restoredLines({ folder, losses }: Restored): readonly string[] {
  if (losses.length === 0) return [`Nothing is missing from ${folder}.`]
  return losses.flatMap(({ of, text, recorded_at }) => [
    `${text}.`,
    recorded_at === undefined
      ? `Nothing was changed. Put back the files as they were, or the newest backup; ${flags[of]} goes on without what is missing.`
      : `Accepted, and recorded at position ${recorded_at} of the log.`,
  ])
}

const flags = { log: '--accept-loss', keys: '--accept-key-loss' } as const
