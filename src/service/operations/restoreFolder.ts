/** Looks for what a data folder has lost, and goes on without it when its owner says so: offline, on a folder that no service uses. */

import { existsSync, renameSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Chance, Clock } from '../../domain/clock.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { managedAccount } from '../../domain/managedAccount.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { encode } from '../../events/catalogue.ts'
import { type LossEvent, lossStream } from '../../events/operations/loss.ts'
import type { Keyring } from '../../events/recording/sealing.ts'
import { type DataFolder, dataFolder, refuseNoFiles } from '../../stores/embedded/dataFolder.ts'
import { lockFolder } from '../../stores/embedded/folderLock.ts'
import type { KeyLoss } from '../../stores/embedded/inspectKeys.ts'
import { inspectLog } from '../../stores/embedded/inspectLog.ts'
import { openEmbeddedKeyStore } from '../../stores/embedded/keyStore.ts'
import { refuseLogElsewhere } from '../../stores/embedded/logElsewhere.ts'
import { type LogLoss, logLossText } from '../../stores/embedded/logLoss.ts'
import { openLogReader } from '../../stores/embedded/logReader.ts'
import { removeViews } from '../../stores/embedded/readStoreFile.ts'
import { type LossRecord, recordLoss } from '../../stores/embedded/recordLoss.ts'
import { findKeyLoss } from '../opening/findKeyLoss.ts'
import { findMasterKey, openMasterKey } from '../opening/installation.ts'

export interface RestoreOptions {
  readonly dataFolder: string
  /** As the service has it; undefined for the one kept in the folder. */
  readonly masterKey: Uint8Array | undefined
  /** Which losses to go on with; the others are only said. */
  readonly accept: { readonly log: boolean; readonly keys: boolean }
  readonly clock: Clock
  readonly chance: Chance
}

type LossOptions = Omit<RestoreOptions, 'dataFolder'>

export interface Loss {
  readonly of: 'log' | 'keys'
  /** A sentence, without its end. */
  readonly text: string
  /** Position of the event that records it; absent when it was not accepted. */
  readonly recorded_at?: string
}

export interface Restored {
  /** The absolute path of the data folder. */
  readonly folder: string
  /** None when everything is there. */
  readonly losses: readonly Loss[]
}

/**
 * Answers what is missing from the folder and records in the log what is accepted, after which the service starts. Throws an `Error` that
 * says what to do when there is no such folder, it is in use, or its log is damaged: then a backup must be put back.
 */
export async function restoreFolder(options: RestoreOptions): Promise<Restored> {
  const folder = dataFolder(options.dataFolder)
  const files = [folder.log, folder.logWitness, folder.keys, folder.views]
  if (!files.some((file) => existsSync(file))) {
    throw new Error(`There is no data of Vigil in ${folder.path}.`)
  }
  refuseNoFiles(folder)
  refuseLogElsewhere(folder)
  const unlock = lockFolder(folder)
  try {
    return { folder: folder.path, losses: await restoreLosses(folder, options) }
  } finally {
    unlock()
  }
}

/** The same on a folder that the caller has locked: what is missing, with where it was recorded when it was accepted. */
export async function restoreLosses(
  folder: DataFolder,
  options: LossOptions,
): Promise<readonly Loss[]> {
  const ofLog = restoreLog(folder, options)
  // what the log names can be asked of the keys once the log is in order
  const inOrder = ofLog === undefined || ofLog.recorded_at !== undefined
  const ofKeys = inOrder ? await restoreKeys(folder, options) : undefined
  return [ofLog, ofKeys].filter((loss) => loss !== undefined)
}

function restoreLog(folder: DataFolder, options: LossOptions): Loss | undefined {
  const loss = inspectLog(folder)
  if (!loss) return undefined
  const said = { of: 'log', text: `${folder.log}: ${logLossText(loss)}` } as const
  return options.accept.log ? { ...said, recorded_at: acceptLogLoss(folder, loss, options) } : said
}

async function restoreKeys(folder: DataFolder, options: LossOptions): Promise<Loss | undefined> {
  const loss = await keyLossIn(folder, options)
  if (!loss) return undefined
  const said = { of: 'keys', text: loss.text } as const
  if (!options.accept.keys) return said
  return { ...said, recorded_at: await acceptKeyLoss(folder, loss, options) }
}

async function keyLossIn(folder: DataFolder, options: LossOptions): Promise<KeyLoss | undefined> {
  const masterKey = findMasterKey(secretsOf(folder, options))
  if (!hasLog(folder)) {
    return findKeyLoss({ folder, masterKey, head: 0, readTail: () => [] })
  }
  const log = openLogReader(folder.log)
  try {
    return await findKeyLoss({ folder, masterKey, head: log.head(), readTail: log.readTail })
  } finally {
    log.close()
  }
}

function hasLog({ log }: DataFolder): boolean {
  return (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** The read models go last: until the log has the event, they prove what it lacks. */
function acceptLogLoss(folder: DataFolder, loss: LogLoss, options: LossOptions): string {
  const { kept, missing, provenBy, seenAtMs } = loss
  const event: LossEvent = {
    type: 'LogLossAccepted',
    data: {
      kept_position: kept.position,
      ...(missing && { missing }),
      proven_by: provenBy,
      ...(seenAtMs !== undefined && { seen_at: seenAtMs }),
    },
  }
  const position = recordLoss(folder, recordOf(event, options, missing))
  removeViews(folder.path)
  return String(position)
}

/** Keys that are of no use are kept under another name, should their master key be found; new ones are made where there are none. */
async function acceptKeyLoss(
  folder: DataFolder,
  { reason, useless }: KeyLoss,
  options: LossOptions,
): Promise<string> {
  const aside = `${folder.keys}.lost-${isoTime(options.clock.nowMs()).replaceAll(/[-:.]/g, '')}`
  const event: LossEvent = {
    type: 'KeyLossAccepted',
    data: { reason, ...(useless && { set_aside: basename(aside) }) },
  }
  const position = recordLoss(folder, recordOf(event, options))
  if (useless) setAside(folder.keys, aside)
  const { clock, chance } = options
  const masterKey = openMasterKey({ ...secretsOf(folder, options), chance })
  await openEmbeddedKeyStore({ folder: folder.path, masterKey, clock, chance }).close()
  return String(position)
}

function setAside(file: string, aside: string): void {
  for (const beside of ['-wal', '-shm', '']) {
    if (existsSync(`${file}${beside}`)) renameSync(`${file}${beside}`, `${aside}${beside}`)
  }
}

function secretsOf(folder: DataFolder, { masterKey }: LossOptions) {
  return { folder: folder.path, ...(masterKey && { masterKey }) }
}

function recordOf(
  event: LossEvent,
  { clock, chance }: LossOptions,
  missing?: LogLoss['missing'],
): LossRecord {
  const context = {
    account: managedAccount,
    actor: 'operator',
    request: '',
    command: uuidV7(clock, chance),
    time: clock.nowMs(),
  }
  return {
    ...(missing && { missing }),
    stream: lossStream,
    event: encode({ event, context, index: 0 }, noKeyring),
    nowMs: clock.nowMs,
  }
}

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
