/** Declares `vigil backup`, `restore` and `migrate`, which open the data folder themselves. */

import { randomBytes } from 'node:crypto'
import type { Restored } from '../../stores/transfer/acceptLoss.ts'
import type { Backup, RestoredBackup } from '../../stores/transfer/backup.ts'
import type { Migrated } from '../../stores/transfer/migrateFolder.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { type ExitCode, exitCodes, usageError } from '../terminal/cliError.ts'
import { counted, dataOptions, masterKeyIn, onFolder, serversIn } from './onFolder.ts'

interface BackupFlags {
  readonly data?: string
  readonly withMasterKey?: boolean
}

/** Reads the data folder itself, whether a service uses it or not. */
export const backupCommand: CommandRow = {
  usage: 'backup',
  arguments: { '<target>': 'the folder to create' },
  summary: 'Copy the data folder, in use or not, and read the copy back (owner of the folder).',
  example: 'vigil backup /mnt/backups/vigil-monday --data /var/lib/vigil',
  options: {
    ...dataOptions,
    '--with-master-key': 'copy master.key too: both together open all personal data',
  },
  run: backup,
}

async function backup(
  invocation: Invocation,
  { data, withMasterKey = false }: BackupFlags,
  target = '',
): Promise<undefined> {
  const { context, print } = invocation
  serversIn(context.environment)
  const made = await onFolder(invocation, async (long) => {
    // Loaded only here: every other command is a client, and starts without the stores.
    const { makeBackup } = await import('../../stores/transfer/backup.ts')
    return makeBackup({
      ...long,
      ...{ target, withMasterKey, clock: { nowMs: context.nowMs } },
      dataFolder: data ?? context.environment.dataFolder,
    })
  })
  print(backupFacts(made), () => backupLines(made))
}

function backupFacts({ of, backup: path, manifest, masterKey }: Backup) {
  return { of, backup: path, ...manifest, master_key: masterKey }
}

function backupLines({ of, backup: path, manifest, masterKey }: Backup) {
  const { log, keys } = manifest
  const what = `${counted(log.events, 'event')} and ${counted(keys.keys, 'key')}`
  return [`${path} holds ${what} of ${of}, read back and verified.`, masterKeyLine(masterKey, of)]
}

function masterKeyLine(masterKey: Backup['masterKey'], of: string): string {
  switch (masterKey) {
    case 'in the backup':
      return 'master.key is in it: whoever has this backup can read all personal data.'
    case 'in the data folder':
      return `${of}/master.key is not in it: keep a copy somewhere else, or nobody can open the keys.`
    case 'not in the data folder':
      return 'The master key is not in it: keep VIGIL_MASTER_KEY, or nobody can open the keys.'
  }
}

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
    print(restoredFacts(restored), () => restoredLines(restored))
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
  'Lost positions are used again: stored ones (tail --after, min_position) are no longer valid.'

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
function restoredFacts({ folder, backup, manifest, lack, laidOut }: RestoredBackup) {
  const { made_at, log, keys } = manifest
  return {
    ...{ folder, backup, made_at, log, keys },
    ...(lack !== undefined && { lack }),
    laid_out: laidOut !== undefined,
    ...laidOut,
  }
}

/** What was laid out, what is missing from it, and what to do next. */
function restoredLines({ folder, backup, manifest, lack, laidOut }: RestoredBackup) {
  const made = `${backup}, made ${manifest.made_at},`
  if (!laidOut) {
    return [
      `${made} lacks something: ${lack ?? ''}.`,
      'Nothing was changed. --accept-loss restores it without that, and records the loss in the log.',
    ]
  }
  const { log, keys } = manifest
  const what = `${counted(log.events, 'event')} and ${counted(keys.keys, 'key')}`
  return [
    `${made} is restored into ${folder}: ${what}.`,
    ...(lack === undefined
      ? []
      : [`Lost: ${lack}.`, `${recordedAt(laidOut.recorded_at)} ${positionsAgain}`]),
    ...(laidOut.replaced === undefined
      ? []
      : [`The previous contents are in ${laidOut.replaced}: delete them when all is well.`]),
    'The next start builds the read models again.',
  ]
}

interface MigrateFlags {
  readonly from?: string
}

/** Works on the data folder itself, while the service is stopped. */
export const migrateCommand: CommandRow = {
  usage: 'migrate',
  summary:
    'Move the data folder of a stopped service: its log to EVENTSTORE_URL, its sealing keys to MONGODB_URL. Both are compared; run it again to resume it after an interruption (owner of the folder).',
  example: 'vigil migrate --from /var/lib/vigil',
  options: { '--from <folder>': 'the data folder (default: VIGIL_DATA, else ./data)' },
  run: migrate,
}

async function migrate(invocation: Invocation, { from }: MigrateFlags): Promise<undefined> {
  const { context, print } = invocation
  const { dataFolder, masterKey } = context.environment
  const servers = serversIn(context.environment)
  if (!servers) {
    throw usageError(
      'Say where to: set EVENTSTORE_URL (esdb://host:2113) and MONGODB_URL (mongodb://host/vigil).',
    )
  }
  const migrated = await onFolder(invocation, async (long) => {
    // Loaded only here: every other command is a client, and starts without the stores.
    const { migrateFolder } = await import('../../stores/transfer/migrateFolder.ts')
    return migrateFolder({
      ...{ ...long, from: from ?? dataFolder, servers, masterKey: masterKeyIn(masterKey) },
    })
  })
  print(migratedFacts(migrated), () => migratedLines(migrated))
}

function migratedFacts({ from, log, keys }: Migrated) {
  return { from, events: log.events, digest: log.digest, sealing_keys: keys }
}

function migratedLines({ from, log, keys }: Migrated): readonly string[] {
  const gone =
    keys.destroyed === 0 ? '' : ` and the record of ${counted(keys.destroyed, 'destroyed one')}`
  return [
    `${counted(log.events, 'event')} of ${from} are in the EventStoreDB: number, order, ids and contents agree.`,
    `SHA-256 of both: ${log.digest}`,
    `${counted(keys.keys, 'sealing key')}${gone} of ${from} are in the MongoDB: each agrees.`,
    `SHA-256 of both: ${keys.digest}`,
    `${from} is stored on the servers from now on. Its log.db, keys.db and views.db are no longer used: delete them when all is well, since no erasure reaches them.`,
    'Every instance needs the master key of this folder: VIGIL_MASTER_KEY, or master.key in the folder.',
    'Start the service with EVENTSTORE_URL and MONGODB_URL on the same data folder: it builds the read models again.',
    'Positions have changed: stored ones (tail --after, min_position) are no longer valid.',
  ]
}
