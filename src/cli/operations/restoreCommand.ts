/** Declares `vigil restore`: shows or accepts data loss, or restores a backup. */

import { randomBytes } from 'node:crypto'
import type { Restored } from '../../stores/transfer/acceptLoss.ts'
import type { RestoredBackup } from '../../stores/transfer/backup.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { type ExitCode, exitCodes } from '../terminal/cliError.ts'
import { counted, dataOptions, masterKeyIn, onFolder, serversIn } from './onFolder.ts'

interface RestoreFlags {
  readonly data?: string
  readonly acceptLoss?: boolean
  readonly acceptKeyLoss?: boolean
}

/** Works on the data folder itself, while the service is stopped. */
export const restoreCommand: CommandRow = {
  usage: 'restore',
  arguments: { '[backup]': 'a folder made by vigil backup, to restore into the data folder' },
  summary:
    'Show what the data folder of a stopped service has lost, let it start without that, or restore a backup into it (owner of the folder).',
  example:
    'vigil restore --data /var/lib/vigil --accept-loss\nvigil restore /mnt/backups/vigil-monday --data /var/lib/vigil',
  options: {
    ...dataOptions,
    '--accept-loss': 'go on without the events that are lost, and record it in the log',
    '--accept-key-loss': 'go on without the sealing keys that are lost, and record it',
  },
  run: restore,
}

async function restore(
  invocation: Invocation,
  { data, acceptLoss = false, acceptKeyLoss = false }: RestoreFlags,
  backup?: string,
): Promise<ExitCode> {
  const { context, print } = invocation
  const { environment, nowMs } = context
  const common = {
    dataFolder: data ?? environment.dataFolder,
    clock: { nowMs },
    chance: { bytes: (count: number) => new Uint8Array(randomBytes(count)) },
  }
  if (backup !== undefined) {
    const restored = await onFolder(invocation, async (long) => {
      const { restoreBackup } = await import('../../stores/transfer/backup.ts')
      return restoreBackup({ ...common, ...long, backup, acceptLoss })
    })
    print(backupShown(restored), () => backupLines(restored))
    return restored.laidOut ? exitCodes.done : exitCodes.refused
  }
  const servers = serversIn(environment)
  const masterKey = masterKeyIn(environment.masterKey)
  const accept = { log: acceptLoss, keys: acceptKeyLoss }
  const restored = await onFolder(invocation, async () => {
    // Loaded only here: every other command is a client, and starts without the stores.
    const { restoreFolder } = await import('../../stores/transfer/acceptLoss.ts')
    return restoreFolder({ ...common, servers, masterKey, accept })
  })
  print(restored, () => lossLines(restored))
  const isOpen = restored.losses.some(({ recorded_at }) => recorded_at === undefined)
  return isOpen ? exitCodes.refused : exitCodes.done
}

const positionsAgain =
  'Positions that are lost are used again: a kept one (tail --after, min_position) has no meaning any more.'

const flags = { log: '--accept-loss', keys: '--accept-key-loss' } as const

/** What is missing from a folder, and what became of that. */
function lossLines({ folder, losses }: Restored): readonly string[] {
  if (losses.length === 0) return [`Nothing is missing from ${folder}.`]
  return losses.flatMap(({ of, text, recorded_at }) => [
    `${text}.`,
    recorded_at === undefined
      ? `Nothing was changed. Put back the files as they were, or the newest backup; ${flags[of]} goes on without what is missing.`
      : `${recordedAt(recorded_at)}${of === 'log' ? ` ${positionsAgain}` : ''}`,
  ])
}

const recordedAt = (position = ''): string =>
  `Accepted, and recorded at position ${position} of the log.`

/** The facts for a program. */
function backupShown({ folder, backup, manifest, lack, laidOut }: RestoredBackup) {
  const { made_at, log, keys } = manifest
  return {
    ...{ folder, backup, made_at, log, keys },
    ...(lack !== undefined && { lack }),
    laid_out: laidOut !== undefined,
    ...laidOut,
  }
}

/** What was laid out, what is missing from it, and what to do next. */
function backupLines({ folder, backup, manifest, lack, laidOut }: RestoredBackup) {
  const made = `${backup}, made ${manifest.made_at},`
  if (!laidOut) {
    return [
      `${made} lacks something: ${lack ?? ''}.`,
      'Nothing was changed. --accept-loss lays it out all the same, and records in the log what is given up.',
    ]
  }
  const { log, keys } = manifest
  const what = `${counted(log.events, 'event')} and ${counted(keys.keys, 'key')}`
  return [
    `${made} is laid out in ${folder}: ${what}.`,
    ...(lack === undefined
      ? []
      : [`Given up: ${lack}.`, `${recordedAt(laidOut.recorded_at)} ${positionsAgain}`]),
    ...(laidOut.replaced === undefined
      ? []
      : [`What stood there lies in ${laidOut.replaced}: delete it when all is well.`]),
    'The next start builds the read models again.',
  ]
}
