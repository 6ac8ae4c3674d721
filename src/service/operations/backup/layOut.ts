/** Puts the files of a backup into their places, and what stood there aside. At no point between could a service start on half of it. */

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { join } from 'node:path'
import { isoTime } from '../../../domain/isoTime.ts'
import type { DataFolder } from '../../../stores/embedded/dataFolder.ts'
import { digestOfFile, syncPath } from '../../../stores/embedded/durableFile.ts'
import { type MergedKeys, mergeKeys } from '../../../stores/embedded/mergeKeys.ts'
import { forgetWitnessed } from '../../../stores/embedded/witnesses.ts'
import type { BackupFile, BackupManifest } from './backupManifest.ts'
import type { MasterKeyPlace } from './masterKeyOfBackup.ts'
import type { RestoreBackupOptions, RestoredBackup } from './restoreBackup.ts'

interface Made {
  readonly backup: string
  readonly manifest: BackupManifest
  readonly masterKey: MasterKeyPlace
  readonly options: RestoreBackupOptions
}

/** Where the files are made ready, in the folder itself so that they need only be renamed. */
const stagingName = 'restoring'

export async function layOut(
  folder: DataFolder,
  made: Made,
): Promise<NonNullable<RestoredBackup['laidOut']>> {
  const { options } = made
  const names = filesOf(made)
  const staging = join(folder.path, stagingName)
  await stage(staging, names, made)
  const keptKeys = mergeStanding(folder, join(staging, 'keys.db'), options)
  const aside = join(
    folder.path,
    `replaced-${isoTime(options.clock.nowMs()).replaceAll(/[-:.]/g, '')}`,
  )
  // the log last: keys without a log are known to lack one
  for (const name of names.toSorted(logLast)) {
    setAside(folder, name, aside)
    renameSync(join(staging, name), join(folder.path, name))
  }
  syncPath(folder.path)
  rmSync(staging, { recursive: true, force: true })
  return { ...(existsSync(aside) && { replaced: aside }), ...(keptKeys && { keptKeys }) }
}

/** The files that go into the folder. */
function filesOf({ manifest, masterKey }: Made): readonly BackupFile[] {
  return manifest.files
    .map(({ name }) => name)
    .filter((name) => name !== 'master.key' || masterKey === 'in the backup')
}

function logLast(one: BackupFile, other: BackupFile): number {
  return Number(one === 'log.db') - Number(other === 'log.db')
}

async function stage(
  staging: string,
  names: readonly BackupFile[],
  { backup, manifest, options }: Made,
): Promise<void> {
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { mode: 0o700 })
  refuseWithoutRoom(staging, manifest)
  for (const { name, sha256 } of manifest.files.filter((file) => names.includes(file.name))) {
    options.signal.throwIfAborted()
    options.onProgress('Copying files', names.indexOf(name), names.length)
    const path = join(staging, name)
    copyFileSync(join(backup, name), path)
    chmodSync(path, 0o600)
    syncPath(path)
    const found = await digestOfFile(path, options.signal)
    if (found.sha256 !== sha256) throw new Error(`${path} is not what ${backup} has: try again.`)
  }
}

function refuseWithoutRoom(staging: string, { files }: BackupManifest): void {
  const needed = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const { bavail, bsize } = statfsSync(staging)
  if (bavail * bsize >= needed) return
  throw new Error(
    `There is no room in ${staging}: the backup takes ${needed} bytes, ${bavail * bsize} are free.`,
  )
}

/** The keys that stand there are newer: none of them is lost, and none that was destroyed since the backup comes back. */
function mergeStanding(
  { keys }: DataFolder,
  into: string,
  { clock, chance }: RestoreBackupOptions,
): MergedKeys | undefined {
  const merged = existsSync(keys) ? mergeKeys({ into, from: keys, clock, chance }) : undefined
  syncPath(into)
  return merged
}

/** What SQLite keeps beside a database first: without it the database is older, which is known. */
function setAside(folder: DataFolder, name: BackupFile, aside: string): void {
  if (name === 'keys.db') forgetWitnessed(folder.witness, 'keys')
  for (const path of [`${name}-wal`, `${name}-shm`, name]) {
    const from = join(folder.path, path)
    if (!existsSync(from)) continue
    mkdirSync(aside, { mode: 0o700, recursive: true })
    renameSync(from, join(aside, path))
  }
}
