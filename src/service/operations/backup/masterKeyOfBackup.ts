/** The master key that the keys of a backup were made under: without it the service that is restored could not start. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMasterKeyOf } from '../../../stores/embedded/copyKeys.ts'
import type { DataFolder } from '../../../stores/embedded/dataFolder.ts'
import { findMasterKey } from '../../opening/installation.ts'
import type { RestoreOptions } from '../restoreFolder.ts'

/** Where it is: `configured`, in the folder already (`standing`), in the backup; `none` where going on without was accepted. */
export type MasterKeyPlace = 'configured' | 'standing' | 'in the backup' | 'none'

/** Throws an `Error` that says what to do when there is none. */
export function masterKeyOfBackup(
  folder: DataFolder,
  backup: string,
  { masterKey, accept }: RestoreOptions,
): MasterKeyPlace {
  const fits = (key: Uint8Array | undefined): boolean =>
    key !== undefined && isMasterKeyOf(join(backup, 'keys.db'), key)
  if (masterKey) {
    if (fits(masterKey)) return 'configured'
  } else {
    if (fits(findMasterKey({ folder: folder.path }))) return 'standing'
    if (fits(keyIn(join(backup, 'master.key')))) return 'in the backup'
  }
  if (accept.keys) return 'none'
  throw new Error(
    `The keys of ${backup} were made under a master key that is not here: set VIGIL_MASTER_KEY to it, or put it into ${folder.masterKey}. Nothing was changed. To go on without the personal data: --accept-key-loss.`,
  )
}

function keyIn(file: string): Uint8Array | undefined {
  return existsSync(file) ? Buffer.from(readFileSync(file, 'utf8').trim(), 'hex') : undefined
}
