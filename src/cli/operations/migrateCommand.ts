/** `vigil migrate`: moves what a data folder keeps to the servers that are named. */

import type { Command } from 'commander'
import type {
  Migrated,
  MovedKeys,
  MovedLog,
} from '../../service/operations/migration/migrateFolder.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { counted, masterKeyIn, onFolder, serversIn } from './onFolder.ts'

interface MigrateFlags {
  readonly from?: string
}

/** Adds `migrate`, which works on the data folder itself, while the service is down. */
export function addMigrateCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'migrate',
    summary:
      'Move the data folder of a stopped service: its log to EVENTSTORE_URL, its sealing keys to MONGODB_URL; both are compared, and interrupted, it goes on when it is given again (owner of the folder).',
    example: 'vigil migrate --from /var/lib/vigil',
  })
    .option('--from <folder>', 'the data folder (default: VIGIL_DATA, else ./data)')
    .action(serve<MigrateFlags>(run, migrate))
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
    const { migrateFolder } = await import('../../service/operations/migration/migrateFolder.ts')
    return migrateFolder({
      ...{ ...long, from: from ?? dataFolder, servers, masterKey: masterKeyIn(masterKey) },
      clock: { nowMs: context.nowMs },
    })
  })
  print(shown(migrated), () => migratedLines(migrated))
  return undefined
}

function shown({ from, log, keys }: Migrated) {
  return { from, ...(log && logShown(log)), sealing_keys: keysShown(keys) }
}

function logShown({ events, digest, position, movedTo }: MovedLog) {
  return { events, digest, position: String(position), moved_to: movedTo }
}

function keysShown({ keys, destroyed, digest, database, movedTo }: MovedKeys) {
  return { keys, destroyed, digest, database, moved_to: movedTo }
}

function migratedLines({ from, log, keys }: Migrated): readonly string[] {
  return [
    ...(log ? logLines(from, log) : []),
    ...keyLines(from, keys),
    'Start the service with EVENTSTORE_URL and MONGODB_URL on the same data folder: it builds the read models again.',
    positionsLine,
  ]
}

const positionsLine =
  'Positions are others from now on: whoever kept one (tail --after, min_position) begins anew.'

function logLines(from: string, { events, digest, movedTo }: MovedLog): readonly string[] {
  return [
    `${counted(events, 'event')} of ${from} are in the EventStoreDB: number, order, ids and contents agree.`,
    `SHA-256 of both: ${digest}`,
    `The log that was moved lies in ${movedTo}: delete it when all is well.`,
  ]
}

function keyLines(from: string, moved: MovedKeys): readonly string[] {
  const { keys, destroyed, database, digest, movedTo } = moved
  const gone = destroyed === 0 ? '' : ` and the record of ${counted(destroyed, 'destroyed one')}`
  return [
    `${counted(keys, 'sealing key')}${gone} of ${from} are in the database ${database} of the MongoDB: each agrees.`,
    `SHA-256 of both: ${digest}`,
    `The keys that were moved lie in ${movedTo}: delete the file when all is well, since no erasure reaches it.`,
    'Every instance needs the master key of this folder: VIGIL_MASTER_KEY, or master.key in the folder.',
  ]
}
