/** Declares `vigil migrate`: moves a data folder's log and keys to EventStoreDB and MongoDB. */

import type { Migrated } from '../../stores/transfer/migrate.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { usageError } from '../terminal/cliError.ts'
import { counted, masterKeyIn, onFolder, serversIn } from './onFolder.ts'

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
    const { migrateFolder } = await import('../../stores/transfer/migrate.ts')
    return migrateFolder({
      ...{ ...long, from: from ?? dataFolder, servers, masterKey: masterKeyIn(masterKey) },
    })
  })
  print(shown(migrated), () => migratedLines(migrated))
}

function shown({ from, log, keys }: Migrated) {
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
    `${from} is kept by the servers from now on. Its log.db, keys.db and views.db are not used any more: delete them when all is well, since no erasure reaches them.`,
    'Every instance needs the master key of this folder: VIGIL_MASTER_KEY, or master.key in the folder.',
    'Start the service with EVENTSTORE_URL and MONGODB_URL on the same data folder: it builds the read models again.',
    'Positions are others from now on: whoever kept one (tail --after, min_position) begins anew.',
  ]
}
