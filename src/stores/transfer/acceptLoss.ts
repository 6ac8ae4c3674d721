/** Looks for what the stores have lost, and goes on without it when their owner says so: offline, while no service uses them. */

import { existsSync, renameSync } from 'node:fs'
import { basename } from 'node:path'
import type { Chance, Clock } from '../../domain/clock.ts'
import { isoTime } from '../../domain/isoTime.ts'
import { managedAccount } from '../../domain/managedAccount.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { encode } from '../../events/catalogue.ts'
import { type LossEvent, lossStream } from '../../events/operations/loss.ts'
import { noKeyring } from '../../events/recording/noKeyring.ts'
import { type DataFolder, dataFolder, lockFolder, refuseNoFiles } from '../embedded/dataFolder.ts'
import { findKeyLoss, type KeysOfLog } from '../embedded/findKeyLoss.ts'
import type { KeyLoss } from '../embedded/inspectStores.ts'
import { inspectLog, type LogLoss, logLossText } from '../embedded/inspectStores.ts'
import { findMasterKey, openMasterKey } from '../embedded/installation.ts'
import { openEmbeddedKeyStore } from '../embedded/keyStore.ts'
import { openLogReader } from '../embedded/logReader.ts'
import { refuseOwnStores, refuseServers } from '../embedded/onServers.ts'
import { removeViews } from '../embedded/readStoreFile.ts'
import { recordLoss } from '../embedded/recordLoss.ts'
import type { EventStore, NewEvent } from '../eventStore.ts'
import type { OpenedMongo } from '../mongodb/openMongo.ts'
import { bytesOf } from './folderStores.ts'
import { type OpenedServers, type Servers, withServers } from './serverStores.ts'

export interface LossOptions {
  /** As the service has it; undefined for the one kept in the folder. */
  readonly masterKey: Uint8Array | undefined
  /** Which losses to go on with; the others are only said. */
  readonly accept: { readonly log: boolean; readonly keys: boolean }
  readonly clock: Clock
  readonly chance: Chance
}

export interface RestoreOptions extends LossOptions {
  readonly dataFolder: string
  /** Undefined where the folder keeps everything. */
  readonly servers?: Servers | undefined
}

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
  const files = [folder.log, folder.witness, folder.keys, folder.views, folder.onServers]
  if (!files.some((file) => existsSync(file))) {
    throw new Error(`There is no data of Vigil in ${folder.path}.`)
  }
  refuseNoFiles(folder)
  if (servers) refuseOwnStores(folder)
  else refuseServers(folder)
  const unlock = lockFolder(folder)
  try {
    const losses = servers
      ? await withServers(servers, (opened) => restoreOnServers(folder, opened, options))
      : await restoreLosses(folder, options)
    return { folder: folder.path, losses }
  } finally {
    unlock()
  }
}

/** The same in a folder that the caller has locked. */
export async function restoreLosses(
  folder: DataFolder,
  options: LossOptions,
): Promise<readonly Loss[]> {
  const { clock, accept } = options
  const record: Recorder = async (event, missing) =>
    recordLoss(folder, {
      ...{ stream: lossStream, event: encoded(event, options), nowMs: clock.nowMs },
      ...(missing && { missing }),
    })
  const loss = inspectLog(folder)
  const recorded =
    loss && accept.log ? await record(lossEvent(loss, loss.missing), loss.missing) : undefined
  // last: until the log has the event, they prove what it lacks
  if (recorded !== undefined) removeViews(folder.path)
  const ofLog = loss && lossOf('log', `${folder.log}: ${logLossText(loss)}`, recorded)
  // what the log names can be asked of the keys once the log is in order
  if (ofLog && recorded === undefined) return [ofLog]
  const log = bytesOf(folder.log) > 0 ? openLogReader(folder.log) : undefined
  try {
    const of = { head: log?.head() ?? 0, readTail: log?.readTail ?? (() => []), record }
    const ofKeys = await restoreKeys(folder, options, of)
    return [ofLog, ofKeys].filter((one) => one !== undefined)
  } finally {
    log?.close()
  }
}

/** The same where servers keep log and keys. Positions are used again: no range of them is lost. */
async function restoreOnServers(
  folder: DataFolder,
  { events, mongo, findLogLoss }: OpenedServers,
  options: LossOptions,
): Promise<readonly Loss[]> {
  const record: Recorder = (event) => appendTo(events, encoded(event, options))
  const loss = await findLogLoss()
  const recorded = loss && options.accept.log ? await record(lossEvent(loss)) : undefined
  if (recorded !== undefined) await mongo.dropReadModels()
  const text = loss && `the log that EVENTSTORE_URL leads to: ${logLossText(loss)}`
  const ofLog = text === undefined ? undefined : lossOf('log', text, recorded)
  if (ofLog && recorded === undefined) return [ofLog]
  const of = { head: await events.head(), readTail: events.readTail, record, mongo }
  const ofKeys = await restoreKeys(folder, options, of)
  return [ofLog, ofKeys].filter((one) => one !== undefined)
}

const lossesMax = 10_000

/** Nobody else is to write meanwhile. */
async function appendTo(events: EventStore, event: NewEvent): Promise<number> {
  const page = await events.readStream(lossStream, { from: 0, limit: lossesMax })
  const expected = page.at(-1)?.revision ?? 'no_stream'
  const answer = await events.append({ stream: lossStream, events: [event], expected })
  if (answer.ok) return answer.position
  throw new Error('Somebody else writes to the log: stop every service that uses it first.')
}

/** Answers the position of the event in the log. */
type Recorder = (event: LossEvent, missing?: LogLoss['missing']) => Promise<number>

interface LogOfKeys extends Pick<KeysOfLog, 'head' | 'readTail'> {
  readonly record: Recorder
  /** Keeps the keys; undefined where the folder does. */
  readonly mongo?: OpenedMongo
}

async function restoreKeys(
  folder: DataFolder,
  options: LossOptions,
  { record, mongo, ...log }: LogOfKeys,
): Promise<Loss | undefined> {
  const masterKey = findMasterKey(secretsOf(folder, options))
  const inspect = mongo && { inspect: mongo.inspectKeys }
  const loss = await findKeyLoss({ folder, masterKey, ...inspect, ...log })
  if (!loss || !options.accept.keys) return loss && lossOf('keys', loss.text)
  const accepted = await acceptKeyLoss(folder, { loss, record, mongo }, options)
  return lossOf('keys', loss.text, accepted)
}

interface LostKeys extends Pick<LogOfKeys, 'record'> {
  readonly loss: KeyLoss
  readonly mongo: OpenedMongo | undefined
}

/** Keys that are of no use are kept under another name, should their master key be found; new ones are made where there are none. */
async function acceptKeyLoss(
  folder: DataFolder,
  { loss: { reason, useless }, record, mongo }: LostKeys,
  options: LossOptions,
): Promise<number> {
  const { clock, chance } = options
  const suffix = `.lost-${isoTime(clock.nowMs()).replaceAll(/[-:.]/g, '')}`
  const name = mongo ? 'sealing_keys' : basename(folder.keys)
  const position = await record({
    type: 'KeyLossAccepted',
    data: { reason, ...(useless && { set_aside: `${name}${suffix}` }) },
  })
  if (useless && mongo) await mongo.setKeysAside(suffix)
  else if (useless) setAside(folder.keys, `${folder.keys}${suffix}`)
  const masterKey = openMasterKey({ ...secretsOf(folder, options), chance })
  const secrets = { masterKey, clock, chance }
  const keys = mongo
    ? await mongo.openKeys(secrets)
    : openEmbeddedKeyStore({ folder: folder.path, ...secrets })
  await keys.close()
  return position
}

function setAside(file: string, aside: string): void {
  for (const beside of ['-wal', '-shm', '']) {
    if (existsSync(`${file}${beside}`)) renameSync(`${file}${beside}`, `${aside}${beside}`)
  }
}

function lossOf(of: Loss['of'], text: string, recordedAt?: number): Loss {
  return { of, text, ...(recordedAt !== undefined && { recorded_at: String(recordedAt) }) }
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

function secretsOf(folder: DataFolder, { masterKey }: LossOptions) {
  return { folder: folder.path, ...(masterKey && { masterKey }) }
}

function encoded(event: LossEvent, { clock, chance }: LossOptions): NewEvent {
  const context = {
    ...{ account: managedAccount, actor: 'operator', request: '' },
    ...{ command: uuidV7(clock, chance), time: clock.nowMs() },
  }
  return encode({ event, context, index: 0 }, noKeyring)
}
