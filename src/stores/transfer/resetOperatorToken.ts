/** Makes a new operator token for the data folder of a stopped service. */

import { existsSync } from 'node:fs'
import type { Random } from '../../domain/clock.ts'
import { lockFolder, openFolderToRead } from '../embedded/dataFolder.ts'
import { keepOperatorToken, makeOperatorToken } from '../embedded/installationSecrets.ts'

export interface ResetOperatorToken {
  /** The absolute path of the data folder. */
  readonly folder: string
  readonly operatorToken: string
}

/** The earlier token no longer counts. Throws an `Error` with advice without data of Vigil or when it is in use. */
export function resetOperatorToken(dataFolder: string, random: Random): ResetOperatorToken {
  const folder = openFolderToRead(dataFolder)
  if (![folder.log, folder.movedMarkerFile].some((file) => existsSync(file))) {
    throw new Error(`There is no data of Vigil in ${folder.path}.`)
  }
  const unlock = lockFolder(folder)
  try {
    const operatorToken = makeOperatorToken(random)
    keepOperatorToken(folder, operatorToken)
    return { folder: folder.path, operatorToken }
  } finally {
    unlock()
  }
}
