/** Looks for what the stores have lost, and goes on without it when their owner says so: offline, while no service uses them. */

import { existsSync, renameSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Chance, Clock } from '../../domain/clock.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { managedAccount } from '../../domain/managedAccount.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { encode } from '../../events/catalogue.ts'
import { type LossEvent, lossStream } from '../../events/operations/loss.ts'
import { noKeyring } from '../../events/recording/noKeyring.ts'
import {
  type DataFolder,
  dataFolder,
  lockFolder,
  refuseNoFiles,
} from '../../stores/embedded/dataFolder.ts'
import {
  inspectLog,
  type KeyLoss,
  type LogLoss,
  logLossText,
} from '../../stores/embedded/inspectStores.ts'
import { openEmbeddedKeyStore } from '../../stores/embedded/keyStore.ts'
import { openLogReader } from '../../stores/embedded/logReader.ts'
import { refuseOwnStores, refuseServers } from '../../stores/embedded/onServers.ts'
import { removeViews } from '../../stores/embedded/readStoreFile.ts'
import { type LossRecord, recordLoss } from '../../stores/embedded/recordLoss.ts'
import { findMasterKey, openMasterKey } from '../opening/installation.ts'
import {
  findKeyLoss,
  type KeysOfLog,
  mongoKeyInspection,
  openMongoKeys,
  setAsideMongoKeys,
} from '../opening/openKeys.ts'
import type { OpenedMongo } from '../opening/openMongo.ts'
import type { Servers } from './migration/migrateFolder.ts'
import { type OpenedServers, withServers } from './withServers.ts'

export interface RestoreOptions {
  readonly dataFolder: string
  /** As the service has it; undefined for the one kept in the folder. */
  readonly masterKey: Uint8Array | undefined
  /** Which losses to go on with; the others are only said. */
  readonly accept: { readonly log: boolean; readonly keys: boolean }
  readonly clock: Clock
  readonly chance: Chance
  /** Undefined where the folder keeps everything. */
  readonly servers?: Servers | undefined
}

type LossOptions = Omit<RestoreOptions, 'dataFolder' | 'servers'>

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
 * Answers what is missing and records in the log what is accepted, after which the service starts. Throws an `Error` that says what to do when
 * there is no such folder, it is in use, or its log is damaged: then a backup must be put back.
 */
export async function restoreFolder(options: RestoreOptions): Promise<Restored> {
  const { servers } = options
  const folder = dataFolder(options.dataFolder)
  refuseNoFolder(folder, servers)
  const unlock = lockFolder(folder)
  try {
    const losses = servers
      ? await withServers(servers, (opened) => restoreServerLosses(folder, opened, options))
      : await restoreLosses(folder, options)
    return { folder: folder.path, losses }
  } finally {
    unlock()
  }
}

function refuseNoFolder(folder: DataFolder, servers: Servers | undefined): void {
  const files = [folder.log, folder.witness, folder.keys, folder.views, folder.onServers]
  if (!files.some((file) => existsSync(file))) {
    throw new Error(`There is no data of Vigil in ${folder.path}.`)
  }
  refuseNoFiles(folder)
  if (servers) refuseOwnStores(folder)
  else refuseServers(folder)
}

/** The same on a folder that the caller has locked: what is missing, with where it was recorded when it was accepted. */
export async function restoreLosses(
  folder: DataFolder,
  options: LossOptions,
): Promise<readonly Loss[]> {
  const ofLog = restoreLog(folder, options)
  // what the log names can be asked of the keys once the log is in order
  const inOrder = ofLog === undefined || ofLog.recorded_at !== undefined
  const ofKeys = inOrder ? await restoreKeysOfFolder(folder, options) : undefined
  return [ofLog, ofKeys].filter((loss) => loss !== undefined)
}

function restoreLog(folder: DataFolder, options: LossOptions): Loss | undefined {
  const loss = inspectLog(folder)
  if (!loss) return undefined
  const accepted = options.accept.log ? acceptLogLoss(folder, loss, options) : undefined
  return lossOf('log', `${folder.log}: ${logLossText(loss)}`, accepted)
}

async function restoreKeysOfFolder(
  folder: DataFolder,
  options: LossOptions,
): Promise<Loss | undefined> {
  const record: LossRecorder = async (event) =>
    recordLoss(folder, { ...recordOf(event, options), nowMs: options.clock.nowMs })
  if (!hasLog(folder)) {
    return restoreKeys(folder, options, { head: 0, readTail: () => [], record })
  }
  const log = openLogReader(folder.log)
  try {
    return await restoreKeys(folder, options, {
      head: log.head(),
      readTail: log.readTail,
      record,
    })
  } finally {
    log.close()
  }
}

/** The same where servers keep log and keys. */
async function restoreServerLosses(
  folder: DataFolder,
  { log, mongo }: OpenedServers,
  options: LossOptions,
): Promise<readonly Loss[]> {
  const record: LossRecorder = (event) => log.append(recordOf(event, options))
  const loss = await log.findLoss()
  const recorded = loss && options.accept.log ? await record(lossEvent(loss)) : undefined
  if (recorded !== undefined) await mongo.dropReadModels()
  const text = loss && `the log that EVENTSTORE_URL leads to: ${logLossText(loss)}`
  const ofLog = text === undefined ? undefined : lossOf('log', text, recorded)
  if (ofLog && recorded === undefined) return [ofLog]
  const { head, readTail } = log.events
  const keys = { head: await head(), readTail, record, mongo }
  const ofKeys = await restoreKeys(folder, options, keys)
  return [ofLog, ofKeys].filter((one) => one !== undefined)
}

/** Answers the position of the event in the log. */
type LossRecorder = (event: LossEvent) => Promise<number>

interface LogOfKeys extends Pick<KeysOfLog, 'head' | 'readTail'> {
  readonly record: LossRecorder
  /** Keeps the keys; undefined where the folder does. */
  readonly mongo?: OpenedMongo
}

async function restoreKeys(
  folder: DataFolder,
  options: LossOptions,
  { record, mongo, ...log }: LogOfKeys,
): Promise<Loss | undefined> {
  const masterKey = findMasterKey(secretsOf(folder, options))
  const inspect = mongo && (await mongoKeyInspection(mongo))
  const loss = await findKeyLoss({ folder, masterKey, ...(inspect && { inspect }), ...log })
  if (!loss) return undefined
  if (!options.accept.keys) return lossOf('keys', loss.text)
  return lossOf('keys', loss.text, await acceptKeyLoss({ folder, loss, record, mongo }, options))
}

function lossOf(of: Loss['of'], text: string, recordedAt?: number): Loss {
  return { of, text, ...(recordedAt !== undefined && { recorded_at: String(recordedAt) }) }
}

function hasLog({ log }: DataFolder): boolean {
  return (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** The read models go last: until the log has the event, they prove what it lacks. */
function acceptLogLoss(folder: DataFolder, loss: LogLoss, options: LossOptions): number {
  const { missing } = loss
  const event = lossEvent(loss, missing)
  const position = recordLoss(folder, {
    ...recordOf(event, options),
    ...(missing && { missing }),
    nowMs: options.clock.nowMs,
  })
  removeViews(folder.path)
  return position
}

/** `missing` only where no event will ever have these positions again. */
function lossEvent({ kept, provenBy, seenAtMs }: LogLoss, missing?: LogLoss['missing']): LossEvent {
  return {
    type: 'LogLossAccepted',
    data: {
      kept_position: kept.position,
      ...(missing && { missing }),
      proven_by: provenBy,
      ...(seenAtMs !== undefined && { seen_at: seenAtMs }),
    },
  }
}

interface LostKeys {
  readonly folder: DataFolder
  readonly loss: KeyLoss
  readonly record: LossRecorder
  readonly mongo: OpenedMongo | undefined
}

/** Keys that are of no use are kept under another name, should their master key be found; new ones are made where there are none. */
async function acceptKeyLoss(
  { folder, loss: { reason, useless }, record, mongo }: LostKeys,
  options: LossOptions,
): Promise<number> {
  const { clock, chance } = options
  const suffix = `.lost-${isoTime(clock.nowMs()).replaceAll(/[-:.]/g, '')}`
  const name = mongo ? 'sealing_keys' : basename(folder.keys)
  const position = await record({
    type: 'KeyLossAccepted',
    data: { reason, ...(useless && { set_aside: `${name}${suffix}` }) },
  })
  if (useless && mongo) await setAsideMongoKeys(mongo, suffix)
  else if (useless) setAside(folder.keys, `${folder.keys}${suffix}`)
  const masterKey = openMasterKey({ ...secretsOf(folder, options), chance })
  const secrets = { masterKey, clock, chance }
  const keys = mongo
    ? await openMongoKeys(mongo, secrets)
    : openEmbeddedKeyStore({ folder: folder.path, ...secrets })
  await keys.close()
  return position
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
): Pick<LossRecord, 'stream' | 'event'> {
  const context = {
    account: managedAccount,
    actor: 'operator',
    request: '',
    command: uuidV7(clock, chance),
    time: clock.nowMs(),
  }
  return { stream: lossStream, event: encode({ event, context, index: 0 }, noKeyring) }
}
