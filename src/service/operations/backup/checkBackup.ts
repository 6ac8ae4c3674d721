/** Reads a backup from end to end: whether it is what its manifest says, and whether the keys that its log names are in it. */

import { join } from 'node:path'
import { Failure } from '../../../domain/failure.ts'
import type { EventMetadata } from '../../../events/recording/event.ts'
import { digestOfFile } from '../../../stores/embedded/durableFile.ts'
import { type KeyNames, openKeyNames } from '../../../stores/embedded/keyNames.ts'
import { type LogReader, openLogReader, walkLog } from '../../../stores/embedded/logReader.ts'
import type { RecordedEvent } from '../../../stores/eventStore.ts'
import { logDigest } from '../../../stores/logDigest.ts'
import type { LongWork } from '../longWork.ts'
import { type BackupManifest, readManifest } from './backupManifest.ts'

export interface CheckedBackup {
  readonly manifest: BackupManifest
  /** How many keys the log names that are neither there nor on record as destroyed: they were lost before. */
  readonly lackingKeys: number
}

/** Rejects with an `Error` that names the file that is not as it was made. */
export async function checkBackup(folder: string, work: LongWork): Promise<CheckedBackup> {
  const manifest = readManifest(folder)
  await checkFiles(folder, manifest, work)
  const lackingKeys = await checkLog(folder, manifest.log, work)
  checkKeys(folder, manifest)
  return { manifest, lackingKeys }
}

async function checkFiles(
  folder: string,
  { files }: BackupManifest,
  { signal, onProgress }: LongWork,
): Promise<void> {
  for (const [index, { name, bytes, sha256 }] of files.entries()) {
    onProgress('Checking files', index, files.length)
    const path = join(folder, name)
    const found = await digestOfFile(path, signal).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (!found) throw changed(path, 'it is gone')
    if (found.bytes !== bytes || found.sha256 !== sha256) throw changed(path, 'it has been changed')
  }
}

async function checkLog(
  folder: string,
  expected: BackupManifest['log'],
  work: LongWork,
): Promise<number> {
  const file = join(folder, 'log.db')
  const reader = openLogReader(file)
  const keys = openKeyNames(join(folder, 'keys.db'))
  try {
    const { digest, lacking } = await readThrough({ reader, keys, expected, work })
    const same = digest.events() === expected.events && digest.hex() === expected.digest
    if (!same || reader.head() !== expected.position) throw changed(file, 'its events are others')
    return lacking.size
  } catch (error) {
    if (error instanceof Failure) throw changed(file, 'it cannot be read', error)
    throw error
  } finally {
    keys.close()
    reader.close()
  }
}

interface Reading {
  readonly reader: LogReader
  readonly keys: KeyNames
  readonly expected: BackupManifest['log']
  readonly work: LongWork
}

async function readThrough({ reader, keys, expected, work: { signal, onProgress } }: Reading) {
  const digest = logDigest()
  const lacking = new Set<string>()
  for await (const batch of walkLog(reader, { end: expected.position, signal })) {
    for (const event of batch) {
      digest.add(event)
      for (const key of keysOf(event)) if (!keys.isKnown(key)) lacking.add(key)
    }
    onProgress('Checking events', digest.events(), expected.events)
  }
  return { digest, lacking }
}

function keysOf({ metadata }: RecordedEvent): readonly string[] {
  const { subjects = [] } = JSON.parse(metadata) as EventMetadata
  return subjects.map(({ key }) => key)
}

function checkKeys(folder: string, { keys: expected }: BackupManifest): void {
  const file = join(folder, 'keys.db')
  const names = openKeyNames(file)
  try {
    const { keys, destroyed } = names.count()
    if (keys !== expected.keys || destroyed !== expected.destroyed) {
      throw changed(file, 'its keys are others')
    }
  } finally {
    names.close()
  }
}

function changed(path: string, what: string, cause?: unknown): Error {
  return new Error(
    `Cannot use ${path}: ${what} since the backup was made. Take another copy of the backup, or an older one.`,
    { cause },
  )
}
