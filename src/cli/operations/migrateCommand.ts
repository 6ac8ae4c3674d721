/** `vigil migrate`: moves the log of a data folder into an EventStoreDB. */

import type { Command } from 'commander'
import type { Migrated } from '../../service/operations/migration/migrateLog.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { usageError } from '../terminal/cliError.ts'
import { describe } from '../terminal/describe.ts'
import { counted, onFolder } from './onFolder.ts'

interface MigrateFlags {
  readonly from?: string
  readonly to?: string
}

/** Adds `migrate`, which works on the data folder itself, while the service is down. */
export function addMigrateCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'migrate',
    summary:
      'Move the log of the data folder of a stopped service into an EventStoreDB, event by event, and compare both; interrupted, it goes on when it is given again (owner of the folder).',
    example: 'vigil migrate --from /var/lib/vigil --to esdb://eventstore:2113',
  })
    .option('--from <folder>', 'the data folder (default: VIGIL_DATA, else ./data)')
    .option('--to <url>', 'connection string (default: EVENTSTORE_URL, where nobody else sees it)')
    .action(serve<MigrateFlags>(run, migrate))
}

async function migrate(invocation: Invocation, { from, to }: MigrateFlags): Promise<undefined> {
  const { context, print } = invocation
  const { dataFolder, eventStoreUrl } = context.environment
  const url = to ?? eventStoreUrl
  if (url === undefined) {
    throw usageError('Say where to with --to, or set EVENTSTORE_URL: esdb://host:2113.')
  }
  const migrated = await onFolder(invocation, async (long) => {
    // Loaded only here: every other command is a client, and starts without the stores.
    const { migrateLog } = await import('../../service/operations/migration/migrateLog.ts')
    return migrateLog({
      ...long,
      ...{ from: from ?? dataFolder, to: url, clock: { nowMs: context.nowMs } },
    })
  })
  print(shown(migrated), () => migratedLines(migrated))
  return undefined
}

function shown({ from, events, digest, position, movedTo }: Migrated) {
  return { from, events, digest, position: String(position), moved_to: movedTo }
}

function migratedLines({ from, events, digest, movedTo }: Migrated): readonly string[] {
  return [
    `${counted(events, 'event')} of ${from} are in the EventStoreDB: number, order, ids and contents agree.`,
    `SHA-256 of both: ${digest}`,
    `The log that was moved lies in ${movedTo}: delete it when all is well.`,
    'Start the service with EVENTSTORE_URL on the same data folder: it builds the read models again.',
    'Positions are others from now on: whoever kept one (tail --after, min_position) begins anew.',
  ]
}
