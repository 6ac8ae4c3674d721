/** `vigil restore`: what a data folder has lost, going on without it, and laying a backup out. */

import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { LongWork } from '../../service/operations/longWork.ts'
import type { RestoreOptions } from '../../service/operations/restoreFolder.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import type { CliContext } from '../terminal/cliContext.ts'
import { type ExitCode, exitCodes } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { dataOption, masterKeyIn, onFolder, serversIn } from './onFolder.ts'
import { backupShown, isDone, laidOutLines, lossLines } from './restoredView.ts'

interface RestoreFlags {
  readonly data?: string
  readonly acceptLoss?: boolean
  readonly acceptKeyLoss?: boolean
}

/** Adds `restore`, which works on the data folder itself, while the service is down. */
export function addRestoreCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'restore',
    takes: { '[backup]': 'a folder that vigil backup has made, to be laid out in the data folder' },
    summary:
      'Show what the data folder of a stopped service has lost, let it start without that, or lay a backup out in it (owner of the folder).',
    example:
      'vigil restore --data /var/lib/vigil --accept-loss\nvigil restore /mnt/backups/vigil-monday --data /var/lib/vigil',
  })
    .option(...dataOption)
    .option('--accept-loss', 'go on without the events that are lost, and record it in the log')
    .option('--accept-key-loss', 'go on without the sealing keys that are lost, and record it')
    .action(serve<RestoreFlags>(run, restore))
}

async function restore(
  invocation: Invocation,
  flags: RestoreFlags,
  backup?: string,
): Promise<ExitCode> {
  const { context, print } = invocation
  const options = optionsOf(context, flags)
  if (backup !== undefined) {
    const restored = await onFolder(invocation, (long) => layOut({ ...options, ...long, backup }))
    print(backupShown(restored), () => laidOutLines(restored))
    return isDone(restored) ? exitCodes.done : exitCodes.refused
  }
  const restored = await onFolder(invocation, async () => {
    // Loaded only here: every other command is a client, and starts without the stores.
    const { restoreFolder } = await import('../../service/operations/restoreFolder.ts')
    return restoreFolder(options)
  })
  print(restored, () => lossLines(restored))
  const open = restored.losses.some(({ recorded_at }) => recorded_at === undefined)
  return open ? exitCodes.refused : exitCodes.done
}

async function layOut(options: RestoreOptions & LongWork & { readonly backup: string }) {
  const { restoreBackup } = await import('../../service/operations/backup/restoreBackup.ts')
  return restoreBackup(options)
}

function optionsOf(
  { environment, nowMs }: CliContext,
  { data, acceptLoss = false, acceptKeyLoss = false }: RestoreFlags,
): RestoreOptions {
  return {
    dataFolder: data ?? environment.dataFolder,
    masterKey: masterKeyIn(environment.masterKey),
    servers: serversIn(environment),
    accept: { log: acceptLoss, keys: acceptKeyLoss },
    clock: { nowMs },
    chance: { bytes: (count) => new Uint8Array(randomBytes(count)) },
  }
}
