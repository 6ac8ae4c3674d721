/** Looks for what a data folder has lost, and goes on without it when its owner says so: offline, on a folder that no service uses. */

import { existsSync } from 'node:fs'
import type { Chance, Clock } from '../../domain/clock.ts'
import { managedAccount } from '../../domain/managedAccount.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { encode } from '../../events/catalogue.ts'
import type { LossEvent } from '../../events/operations/loss.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import { type DataFolder, dataFolder } from '../../stores/embedded/dataFolder.ts'
import { lockFolder } from '../../stores/embedded/folderLock.ts'
import { inspectLog } from '../../stores/embedded/inspectLog.ts'
import { type LogLoss, logLossText } from '../../stores/embedded/logLoss.ts'
import { recordLoss } from '../../stores/embedded/recordLoss.ts'

export interface RestoreOptions {
  readonly dataFolder: string
  /** Whether to go on without what is lost; else it is only said. */
  readonly acceptLoss: boolean
  readonly clock: Clock
  readonly chance: Chance
}

export interface Restored {
  /** The absolute path of the data folder. */
  readonly folder: string
  /** A sentence for each loss; none when everything is there. */
  readonly losses: readonly string[]
  /** Position of the event that records an accepted loss. */
  readonly recorded_at?: string
}

/** Of what the owner of an installation has accepted as lost. */
const lossStream = 'installation-losses'

/** What a loss says is nobody's personal data. */
const noKeyring: Keyring = {
  subject: refuse,
  digest: refuse,
  assign: refuse,
  keys: refuse,
  nonce: refuse,
}

function refuse(): never {
  throw new Error('a loss is recorded without personal data')
}

/**
 * Answers what is missing from the folder and, with `acceptLoss`, records it in the log, after which the service starts. Throws an
 * `Error` that says what to do when there is no such folder, it is in use, or a file of it is damaged: then a backup must be put back.
 */
export function restoreFolder(options: RestoreOptions): Restored {
  const folder = dataFolder(options.dataFolder)
  const files = [folder.log, folder.logWitness, folder.keys, folder.views]
  if (!files.some((file) => existsSync(file))) {
    throw new Error(`There is no data of Vigil in ${folder.path}.`)
  }
  const unlock = lockFolder(folder)
  try {
    const loss = inspectLog(folder)
    const found = { folder: folder.path, losses: loss ? [`log.db: ${logLossText(loss)}`] : [] }
    if (!loss || !options.acceptLoss) return found
    return { ...found, recorded_at: String(acceptLogLoss(folder, loss, options)) }
  } finally {
    unlock()
  }
}

function acceptLogLoss(
  folder: DataFolder,
  { kept, missing, provenBy, seenAtMs }: LogLoss,
  { clock, chance }: RestoreOptions,
): number {
  const event: LossEvent = {
    type: 'LogLossAccepted',
    data: {
      kept_position: kept.position,
      ...(missing && { missing }),
      proven_by: provenBy,
      ...(seenAtMs !== undefined && { seen_at: seenAtMs }),
    },
  }
  const context = {
    account: managedAccount,
    actor: 'operator',
    request: '',
    command: uuidV7(clock, chance),
    time: clock.nowMs(),
  }
  return recordLoss(folder, {
    missing,
    stream: lossStream,
    event: encode({ event, context, index: 0 }, noKeyring),
    nowMs: clock.nowMs,
  })
}
