/** Declares `vigil backup`: copies and verifies a data folder, also while the service uses it. */

import type { Backup } from '../../stores/transfer/backup.ts'
import type { CommandRow } from '../connecting/commandRow.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { counted, dataOptions, onFolder, serversIn } from './onFolder.ts'

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
  print(shown(made), () => backupLines(made))
}

function shown({ of, backup: path, manifest, masterKey }: Backup) {
  return { of, backup: path, ...manifest, master_key: masterKey }
}

function backupLines({ of, backup: path, manifest, masterKey }: Backup) {
  const { log, keys } = manifest
  const what = `${counted(log.events, 'event')} and ${counted(keys.keys, 'key')}`
  return [
    `${path} holds ${what} of ${of}, read back and found whole.`,
    masterKeyLine(masterKey, of),
  ]
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
