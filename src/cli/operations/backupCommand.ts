/** Adds `vigil backup`: copies and verifies a data folder, also while the service uses it. */

import type { Command } from 'commander'
import type { Backup } from '../../stores/transfer/backup.ts'
import { type Invocation, type Run, serve } from '../connecting/invocation.ts'
import { describe } from '../terminal/describe.ts'
import { counted, dataOption, onFolder, serversIn } from './onFolder.ts'

interface BackupFlags {
  readonly data?: string
  readonly withMasterKey?: boolean
}

/** Adds `backup`, which reads the data folder itself, whether a service uses it or not. */
export function addBackupCommand(program: Command, run: Run): void {
  describe(program, {
    usage: 'backup',
    takes: { '<target>': 'the folder to make' },
    summary: 'Copy the data folder, in use or not, and read the copy back (owner of the folder).',
    example: 'vigil backup /mnt/backups/vigil-monday --data /var/lib/vigil',
  })
    .option(...dataOption)
    .option('--with-master-key', 'copy master.key too: who has both can read all personal data')
    .action(serve<BackupFlags>(run, backup))
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
  return undefined
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
