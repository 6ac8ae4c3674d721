/** Declares `vigil backup`, `restore`, `migrate`; runs work on a data folder without a service. */

import { masterKeyFormat, unpairedServerMistake } from '../../config.ts'
import { explainFileError, isIoFault } from '../../domain/fileFaults.ts'
import { systemSources } from '../../domain/systemSources.ts'
import type { AcceptLossResult } from '../../stores/transfer/acceptLoss.ts'
import type { Backup, RestoredBackup } from '../../stores/transfer/backup.ts'
import type { CopyProgress } from '../../stores/transfer/copyStores.ts'
import type { MigrationSummary } from '../../stores/transfer/migrateFolder.ts'
import type { ServerUrls } from '../../stores/transfer/serverStores.ts'
import type { CommandDefinition } from '../connecting/commandDefinition.ts'
import type { Invocation } from '../connecting/invocation.ts'
import {
  createCliError,
  type ExitCode,
  exitCodes,
  interruptedError,
  isCliError,
  usageError,
} from '../terminal/cliError.ts'
import type { Environment } from '../terminal/environment.ts'
import { formatCount, openProgress } from '../terminal/screen.ts'

const dataFolderOptions = {
  '--data <folder>': 'the data folder (default: VIGIL_DATA, else ./data)',
} as const

/** Reads the data folder itself, whether a service uses it or not. */
export const backupCommand: CommandDefinition = {
  arguments: { '<target>': 'the folder to create' },
  summary: 'Copy the data folder, in use or not, and read the copy back (owner of the folder).',
  example: 'vigil backup /mnt/backups/vigil-monday --data /var/lib/vigil',
  options: {
    ...dataFolderOptions,
    '--with-master-key': 'copy master.key too: both together open all personal data',
  },
  run: backup,
}

// The stores are loaded only here: every other command is a client, and starts without them.

async function backup(invocation: Invocation): Promise<undefined> {
  const { context, given, print } = invocation
  const { environment, nowMs } = context
  resolveServers(environment)
  const made = await runOnDataFolder(invocation, async (long) => {
    const { makeBackup } = await import('../../stores/transfer/backup.ts')
    return makeBackup({
      ...long,
      target: given('<target>') ?? '',
      withMasterKey: given('--with-master-key') !== undefined,
      clock: { nowMs },
      dataFolder: given('--data') ?? environment.dataFolder,
    })
  })
  const { of, backup: path, manifest, masterKey } = made
  print({ of, backup: path, ...manifest, master_key: masterKey }, () => [
    `${path} holds ${formatContents(manifest)} of ${of}, read back and verified.`,
    formatMasterKeyAdvice(masterKey, of),
  ])
}

function formatContents({ log, keys }: Backup['manifest']): string {
  return `${formatCount(log.events, 'event')} and ${formatCount(keys.keys, 'key')}`
}

function formatMasterKeyAdvice(masterKey: Backup['masterKey'], of: string): string {
  switch (masterKey) {
    case 'in the backup':
      return 'master.key is in it: this backup alone opens all personal data.'
    case 'in the data folder':
      return `${of}/master.key is not in it: keep a copy somewhere else, or nobody can open the keys.`
    case 'not in the data folder':
      return 'The master key is not in it: keep VIGIL_MASTER_KEY, or nobody can open the keys.'
  }
}

/** Works on the data folder itself, while the service is stopped. */
export const restoreCommand: CommandDefinition = {
  arguments: { '[backup]': 'a folder made by vigil backup, to restore into the data folder' },
  summary:
    'Show what the data folder of a stopped service has lost, let it start without that, or restore a backup into it (owner of the folder).',
  example:
    'vigil restore --data /var/lib/vigil --accept-loss\nvigil restore /mnt/backups/vigil-monday --data /var/lib/vigil',
  options: {
    ...dataFolderOptions,
    '--accept-loss': 'go on without the events that are lost, and record it in the log',
    '--accept-key-loss': 'go on without the sealing keys that are lost, and record it',
  },
  run: restore,
}

async function restore(invocation: Invocation): Promise<ExitCode> {
  const { context, given, print } = invocation
  const { environment, nowMs } = context
  const backup = given('<backup>')
  const accept = {
    log: given('--accept-loss') !== undefined,
    keys: given('--accept-key-loss') !== undefined,
  }
  const common = {
    dataFolder: given('--data') ?? environment.dataFolder,
    clock: { nowMs },
    random: systemSources.random,
  }
  if (backup !== undefined) {
    const restored = await runOnDataFolder(invocation, async (long) => {
      const { restoreBackup } = await import('../../stores/transfer/backup.ts')
      return restoreBackup({ ...common, ...long, backup, acceptLoss: accept.log })
    })
    print(buildRestoredFacts(restored), () => formatRestored(restored))
    return restored.laidOut ? exitCodes.done : exitCodes.refused
  }
  const servers = resolveServers(environment)
  const masterKey = parseMasterKey(environment.masterKey)
  const restored = await runOnDataFolder(invocation, async () => {
    const { acceptFolderLosses } = await import('../../stores/transfer/acceptLoss.ts')
    return acceptFolderLosses({ ...common, servers, masterKey, accept })
  })
  print(restored, () => formatLosses(restored))
  const isOpen = restored.losses.some(({ recorded_at }) => recorded_at === undefined)
  return isOpen ? exitCodes.refused : exitCodes.done
}

const positionsAgain =
  'Lost positions are used again: stored ones (tail --after, min_position) are no longer valid.'

const flags = { log: '--accept-loss', keys: '--accept-key-loss' } as const

/** What is missing from a folder, and what became of that. */
function formatLosses({ folder, losses }: AcceptLossResult): readonly string[] {
  if (losses.length === 0) return [`Nothing is missing from ${folder}.`]
  return losses.flatMap(({ of, text, recorded_at }) => [
    `${text}.`,
    recorded_at === undefined
      ? `Nothing was changed. Put back the files as they were, or the newest backup; ${flags[of]} goes on without what is missing.`
      : `${formatAcceptance(recorded_at)}${of === 'log' ? ` ${positionsAgain}` : ''}`,
  ])
}

const formatAcceptance = (position = ''): string =>
  `Accepted, and recorded at position ${position} of the log.`

/** The facts for a program. */
function buildRestoredFacts({ folder, backup, manifest, lack, laidOut }: RestoredBackup): object {
  const { made_at, log, keys } = manifest
  return {
    folder,
    backup,
    made_at,
    log,
    keys,
    lack,
    laid_out: laidOut !== undefined,
    ...laidOut,
  }
}

/** What was laid out, what is missing from it, and what to do next. */
function formatRestored({ folder, backup, manifest, lack, laidOut }: RestoredBackup) {
  const made = `${backup}, made ${manifest.made_at},`
  if (!laidOut) {
    return [
      `${made} lacks something: ${lack ?? ''}.`,
      'Nothing was changed. --accept-loss restores it without that, and records the loss in the log.',
    ]
  }
  return [
    `${made} is restored into ${folder}: ${formatContents(manifest)}.`,
    ...(lack === undefined
      ? []
      : [`Lost: ${lack}.`, `${formatAcceptance(laidOut.recorded_at)} ${positionsAgain}`]),
    ...(laidOut.replaced === undefined
      ? []
      : [`The previous contents are in ${laidOut.replaced}: delete them when all is well.`]),
    'The next start builds the read models again.',
  ]
}

/** Works on the data folder itself, while the service is stopped. */
export const operatorTokenCommands: CommandDefinition = {
  summary: 'Set a new operator token (owner of the folder).',
  commands: {
    reset: {
      summary:
        'Make a new operator token for the data folder of a stopped service, and print it once. The earlier one no longer counts.',
      example: 'vigil operator-token reset --data /var/lib/vigil',
      options: dataFolderOptions,
      run: resetToken,
    },
  },
}

async function resetToken(invocation: Invocation): Promise<undefined> {
  const { context, given, print } = invocation
  const { operatorToken, dataFolder } = context.environment
  if (operatorToken !== undefined) {
    throw usageError(
      'VIGIL_OPERATOR_TOKEN or VIGIL_OPERATOR_TOKEN_FILE is set: the operator token is configured, and the one of a folder does not count. Change it where the service starts, or unset the variable here.',
    )
  }
  const reset = await runOnDataFolder(invocation, async () => {
    const transfer = await import('../../stores/transfer/resetOperatorToken.ts')
    return transfer.resetOperatorToken(given('--data') ?? dataFolder, systemSources.random)
  })
  print({ folder: reset.folder, operator_token: reset.operatorToken }, () => [
    `The operator token of ${reset.folder}, shown this once; the next start takes it:`,
    `  export VIGIL_OPERATOR_TOKEN=${reset.operatorToken}`,
  ])
}

/** Works on the data folder itself, while the service is stopped. */
export const migrateCommand: CommandDefinition = {
  summary:
    'Move the data folder of a stopped service: its log to EVENTSTORE_URL, its sealing keys to MONGODB_URL. Both are compared; run it again to resume it after an interruption (owner of the folder).',
  example: 'vigil migrate --from /var/lib/vigil',
  options: { '--from <folder>': 'the data folder (default: VIGIL_DATA, else ./data)' },
  run: migrate,
}

async function migrate(invocation: Invocation): Promise<undefined> {
  const { environment } = invocation.context
  const servers = resolveServers(environment)
  if (!servers) {
    throw usageError(
      'Say where to: set EVENTSTORE_URL (esdb://host:2113) and MONGODB_URL (mongodb://host/vigil).',
    )
  }
  const migrated = await runOnDataFolder(invocation, async (long) => {
    const { migrateFolder } = await import('../../stores/transfer/migrateFolder.ts')
    const masterKey = parseMasterKey(environment.masterKey)
    const from = invocation.given('--from') ?? environment.dataFolder
    return migrateFolder({ ...long, from, servers, masterKey })
  })
  const { from, log, keys } = migrated
  const facts = { from, events: log.events, digest: log.digest, sealing_keys: keys }
  invocation.print(facts, () => formatMigrated(migrated))
}

function formatMigrated({ from, log, keys }: MigrationSummary): readonly string[] {
  const gone =
    keys.destroyed === 0 ? '' : ` and the record of ${formatCount(keys.destroyed, 'destroyed one')}`
  return [
    `${formatCount(log.events, 'event')} of ${from} are in the EventStoreDB: number, order, ids and contents agree.`,
    `SHA-256 of both: ${log.digest}`,
    `${formatCount(keys.keys, 'sealing key')}${gone} of ${from} are in the MongoDB: each agrees.`,
    `SHA-256 of both: ${keys.digest}`,
    `${from} is stored on the servers from now on. Its log.db, keys.db and views.db are no longer used: delete them when all is well, since no erasure reaches them.`,
    'Every instance needs the master key of this folder: VIGIL_MASTER_KEY, or master.key in the folder.',
    'Start the service with EVENTSTORE_URL and MONGODB_URL on the same data folder: it builds the read models again.',
    'Positions have changed: stored ones (tail --after, min_position) are no longer valid.',
  ]
}

/** Parses the master key as the service does. Throws `usage` for an invalid one. */
export function parseMasterKey(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined
  const key = masterKeyFormat.parse(text)
  if (key) return key
  throw usageError(`VIGIL_MASTER_KEY must be ${masterKeyFormat.form}.`)
}

/** The servers that store log and keys; undefined when the folder does. Throws `usage` when only one is configured. */
export function resolveServers({ eventStoreUrl, mongoDbUrl }: Environment): ServerUrls | undefined {
  const [mistake] = unpairedServerMistake({ eventStoreUrl, mongoDbUrl })
  if (mistake !== undefined) throw usageError(mistake)
  if (eventStoreUrl === undefined || mongoDbUrl === undefined) return undefined
  return { eventStoreUrl, mongoDbUrl }
}

/** Runs the work with progress and Ctrl-C handling; errors become `usage` errors, those of a disk `outputFailed`. */
export async function runOnDataFolder<Result>(
  { context, flags }: Invocation,
  work: (long: CopyProgress) => Promise<Result>,
): Promise<Result> {
  const progress = openProgress(context, flags)
  const signal = context.interrupted
  try {
    return await work({ signal, onProgress: showPercentages(progress.show) })
  } catch (error) {
    if (signal.aborted) throw interruptedError()
    if (isCliError(error)) throw error
    const message =
      explainFileError(error) ?? (error instanceof Error ? error.message : String(error))
    if (isIoFault(error)) throw createCliError(message, exitCodes.outputFailed, { code: 'file' })
    throw usageError(message)
  } finally {
    progress.clear()
  }
}

/** Shows only new percentages, since long work reports progress very often. */
function showPercentages(show: (text: string) => void): CopyProgress['onProgress'] {
  let shown = ''
  return (step, done, of) => {
    const text = `${step}: ${of === 0 ? 100 : Math.floor((done / of) * 100)} %`
    if (text !== shown) show(text)
    shown = text
  }
}
