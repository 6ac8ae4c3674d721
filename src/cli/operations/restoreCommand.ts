/** `vigil restore`: what a data folder has lost, going on without it, and laying a backup out. */

import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { Restored, RestoreOptions } from '../../stores/transfer/acceptLoss.ts'
import type { RestoredBackup } from '../../stores/transfer/restore.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import type { CliContext } from '../terminal/cliContext.ts'
import { type ExitCode, exitCodes } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { counted, dataOption, masterKeyIn, onFolder, serversIn } from './onFolder.ts'

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
    const restored = await onFolder(invocation, async (long) => {
      const { restoreBackup } = await import('../../stores/transfer/restore.ts')
      return restoreBackup({ ...options, ...long, backup })
    })
    print(backupShown(restored), () => laidOutLines(restored))
    return isDone(restored) ? exitCodes.done : exitCodes.refused
  }
  const restored = await onFolder(invocation, async () => {
    // Loaded only here: every other command is a client, and starts without the stores.
    const { restoreFolder } = await import('../../stores/transfer/acceptLoss.ts')
    return restoreFolder(options)
  })
  print(restored, () => lossLines(restored))
  const open = restored.losses.some(({ recorded_at }) => recorded_at === undefined)
  return open ? exitCodes.refused : exitCodes.done
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

const flags = { log: '--accept-loss', keys: '--accept-key-loss' } as const

/** What is missing from a folder, and what became of that. */
function lossLines({ folder, losses }: Restored): readonly string[] {
  if (losses.length === 0) return [`Nothing is missing from ${folder}.`]
  return losses.flatMap(({ of, text, recorded_at }) => [
    `${text}.`,
    recorded_at === undefined
      ? `Nothing was changed. Put back the files as they were, or the newest backup; ${flags[of]} goes on without what is missing.`
      : `Accepted, and recorded at position ${recorded_at} of the log.`,
  ])
}

/** Whether the service can start on what was laid out. */
function isDone({ laidOut, losses }: RestoredBackup): boolean {
  return laidOut !== undefined && losses.every(({ recorded_at }) => recorded_at !== undefined)
}

/** The facts for a program. */
function backupShown(restored: RestoredBackup) {
  const { backup, manifest, folder, lack, laidOut, losses } = restored
  const { made_at, log, keys } = manifest
  const { keptKeys, replaced } = laidOut ?? {}
  return {
    ...{ folder, backup, made_at, log, keys },
    ...(lack && {
      lacks: { text: lack.text, events: lack.events, accounts: lack.accounts },
    }),
    laid_out: laidOut !== undefined,
    ...(replaced !== undefined && { replaced }),
    ...(keptKeys && { kept_keys: keptKeys.added, destroyed_again: keptKeys.destroyed }),
    losses,
  }
}

/** What was laid out, what is missing from it, and what to do next. */
function laidOutLines(restored: RestoredBackup): readonly string[] {
  const { backup, manifest, folder, lack, laidOut, losses } = restored
  const made = `${backup}, made ${manifest.made_at},`
  if (!laidOut) {
    return [
      `${made} lacks something: ${lack?.text ?? ''}.`,
      'Nothing was changed. --accept-loss lays it out all the same, and records in the log what is given up.',
    ]
  }
  const { log, keys } = manifest
  const what = `${counted(log.events, 'event')} and ${counted(keys.keys, 'key')}`
  return [
    `${made} is laid out in ${folder}: ${what}.`,
    ...(lack ? [`Given up: ${lack.text}.`] : []),
    ...keyLines(laidOut.keptKeys),
    ...(laidOut.replaced === undefined
      ? []
      : [`What stood there lies in ${laidOut.replaced}: delete it when all is well.`]),
    ...(losses.length === 0 ? [] : lossLines(restored)),
    ...(isDone(restored) ? ['The next start builds the read models again.'] : []),
  ]
}

type LaidOut = NonNullable<RestoredBackup['laidOut']>

function keyLines(kept: LaidOut['keptKeys']): readonly string[] {
  if (!kept) return []
  return [
    ...(kept.added > 0 ? [`${counted(kept.added, 'newer key')} that stood there were kept.`] : []),
    ...(kept.destroyed > 0
      ? [`${counted(kept.destroyed, 'key')} destroyed since the backup stay destroyed.`]
      : []),
  ]
}
