/** The folder of the embedded stores and the names of its files. */

import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface DataFolder {
  readonly path: string
  /** The event log: what must never be lost. */
  readonly log: string
  /** The read models: may be deleted while the service is down, and are built again. */
  readonly views: string
  /** The sealing keys. */
  readonly keys: string
  /** Held by the process that writes. */
  readonly lock: string
}

/** Makes the folder, readable by its owner alone, when it is missing. Throws an `Error` that names it when it cannot. */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder)
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Error(`Cannot use ${path} as data folder: ${reasonOf(error)}.`, { cause: error })
  }
  return dataFolder(path)
}

/** The names alone, for a folder that is already there. */
export function dataFolder(folder: string): DataFolder {
  const path = resolve(folder)
  return {
    path,
    log: join(path, 'log.db'),
    views: join(path, 'views.db'),
    keys: join(path, 'keys.db'),
    lock: join(path, 'lock.db'),
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
