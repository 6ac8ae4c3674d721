/** `vigil restore`: what a data folder has lost, and going on without it. */

import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { Restored } from '../../service/operations/restoreFolder.ts'
import type { Invocation, Run } from '../connecting/invocation.ts'
import { serve } from '../connecting/invocation.ts'
import { usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { type ExitCode, exitCodes } from '../terminal/exitCode.ts'

interface RestoreFlags {
  readonly data?: string
  readonly acceptLoss?: boolean
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
    .option('--accept-loss', 'go on without what is lost, and record that in the log')
    .action(serve<RestoreFlags>(run, restore))
}

async function restore(
  { context, print }: Invocation,
  { data = context.environment.dataFolder, acceptLoss = false }: RestoreFlags,
): Promise<ExitCode> {
  // Loaded only here: every other command is a client, and starts without the stores.
  const { restoreFolder } = await import('../../service/operations/restoreFolder.ts')
  const clock = { nowMs: Date.now }
  const chance = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
  const restored = refusing(() => restoreFolder({ dataFolder: data, acceptLoss, clock, chance }))
  print(restored, () => restoredLines(restored))
  return restored.losses.length > 0 && restored.recorded_at === undefined
    ? exitCodes.refused
    : exitCodes.done
}

function refusing(work: () => Restored): Restored {
  try {
    return work()
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error))
  }
}

function restoredLines({ folder, losses, recorded_at }: Restored): readonly string[] {
  if (losses.length === 0) return [`Nothing is missing from ${folder}.`]
  return [
    ...losses.map((loss) => `${folder}: ${loss}.`),
    recorded_at === undefined
      ? 'Nothing was changed. Put back the files as they were, or the newest backup; --accept-loss goes on without what is missing.'
      : `Accepted, and recorded at position ${recorded_at} of the log. Start the service: the read models are built again.`,
  ]
}
