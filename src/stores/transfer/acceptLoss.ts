/** Reports lost events and keys offline, and records the losses accepted by `vigil restore`. */

import { existsSync, renameSync } from 'node:fs'
import { basename } from 'node:path'
import type { Clock, Random } from '../../domain/clock.ts'
import { managedAccountId } from '../../domain/ids.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import { uuidV7 } from '../../domain/uuid.ts'
import { encode } from '../../events/catalogue.ts'
import { type LossEvent, lossStream } from '../../events/operations/loss.ts'
import { noKeyring } from '../../events/recording/sealing.ts'
import {
  type DataFolder,
  databaseSuffixes,
  lockFolder,
  openFolderToRead,
  readFileSize,
  rejectLocalStores,
  rejectMovedFolder,
} from '../embedded/dataFolder.ts'
import { openEmbeddedKeyStore } from '../embedded/embeddedKeyStore.ts'
import { inspectKeys, inspectLog } from '../embedded/inspectStores.ts'
import { findMasterKey, openMasterKey } from '../embedded/installationSecrets.ts'
import { openLogReader } from '../embedded/logReader.ts'
import { openLogWriter } from '../embedded/logWriter.ts'
import { removeReadStoreFile } from '../embedded/readStoreFile.ts'
import { openSharedHead } from '../embedded/threadCalls.ts'
import type { Append, NewEvent, RecordedEvent } from '../eventStore.ts'
import type { KeyStore } from '../keyStore.ts'
import { type LogLoss, logLossText } from '../losses.ts'
import type { OpenedMongo } from '../mongodb/openMongo.ts'
import { type OpenedServers, type ServerUrls, withServers } from './serverStores.ts'

export interface LossOptions {
  readonly clock: Clock
  readonly random: Random
}

export interface AcceptLossOptions extends LossOptions {
  readonly dataFolder: string
  /** Undefined where the folder keeps everything. */
  readonly servers?: ServerUrls | undefined
  /** As the service has it; undefined for the one kept in the folder. */
  readonly masterKey: Uint8Array | undefined
  /** Which losses to go on with; the others are only said. */
  readonly accept: { readonly log: boolean; readonly keys: boolean }
}

interface Loss {
  readonly of: 'log' | 'keys'
  /** A sentence, without its end. */
  readonly text: string
  /** Position of the event that records it; absent when it was not accepted. */
  readonly recorded_at?: string
}

export interface AcceptLossResult {
  /** The absolute path of the data folder. */
  readonly folder: string
  /** None when everything is there. */
  readonly losses: readonly Loss[]
}

/**
 * Returns the losses, and records the accepted ones in the log, after which the service starts. Throws an `Error` with
 * advice when there is no such folder, it is in use, or its log is damaged: then a backup must be restored.
 */
export async function acceptFolderLosses(options: AcceptLossOptions): Promise<AcceptLossResult> {
  const { servers } = options
  const folder = openFolderToRead(options.dataFolder)
  const files = [folder.log, folder.witness, folder.keys, folder.views, folder.movedMarkerFile]
  if (!files.some((file) => existsSync(file))) {
    throw new Error(`There is no data of Vigil in ${folder.path}.`)
  }
  if (servers) rejectLocalStores(folder)
  else rejectMovedFolder(folder)
  const unlock = lockFolder(folder)
  try {
    const losses = servers
      ? await withServers(servers, (opened) => acceptLosses(onServers(opened), folder, options))
      : await acceptLosses(inFolder(folder), folder, options)
    return { folder: folder.path, losses }
  } finally {
    unlock()
  }
}

/** A log and its keys, wherever they are kept. */
interface StoresToInspect extends Pick<OpenedMongo, 'inspectKeys' | 'setKeysAside'> {
  readonly openKeys: (...secrets: Parameters<OpenedMongo['openKeys']>) => Promise<KeyStore>
  readonly logName: string
  readonly keysName: string
  readonly findLogLoss: () => Promise<LogLoss | undefined>
  readonly head: () => Promise<number>
  /** Appends the event, and answers its position. */
  readonly record: (event: NewEvent) => Promise<number>
  readonly dropReadModels: () => Promise<void>
}

async function acceptLosses(
  stores: StoresToInspect,
  folder: DataFolder,
  options: AcceptLossOptions,
): Promise<readonly Loss[]> {
  const loss = await stores.findLogLoss()
  const losses: Loss[] = []
  if (loss) {
    const text = `${stores.logName}: ${logLossText(loss)}`
    // whether keys are missing can be told once the log is in order
    if (!options.accept.log) return [{ of: 'log', text }]
    const recordedAt = await stores.record(encodeLossEvent(loss, options))
    await stores.dropReadModels()
    losses.push({ of: 'log', text, recorded_at: String(recordedAt) })
  }
  const ofKeys = await acceptKeyLoss(stores, folder, options)
  return ofKeys ? [...losses, ofKeys] : losses
}

/** Useless keys are kept under another name, should their master key be found; new ones are made if needed. */
async function acceptKeyLoss(
  stores: StoresToInspect,
  { path }: DataFolder,
  { masterKey, accept, clock, random }: AcceptLossOptions,
): Promise<Loss | undefined> {
  const secrets = { folder: path, masterKey }
  const logInUse = (await stores.head()) > 0
  const loss = await stores.inspectKeys({ masterKey: findMasterKey(secrets), isLogInUse: logInUse })
  if (!loss || !accept.keys) return loss && { of: 'keys', text: loss.text }
  const { reason, isUnusable: useless, text } = loss
  const suffix = `.lost-${isoTime(clock.nowMs()).replaceAll(/[-:.]/g, '')}`
  const data = { reason, ...(useless && { set_aside: `${stores.keysName}${suffix}` }) }
  const event = encoded({ type: 'KeyLossAccepted', data }, { clock, random })
  const recordedAt = await stores.record(event)
  if (useless) await stores.setKeysAside(suffix)
  const keys = await stores.openKeys({
    masterKey: openMasterKey({ ...secrets, random }),
    clock,
    random,
  })
  await keys.close()
  return { of: 'keys', text, recorded_at: String(recordedAt) }
}

function inFolder(folder: DataFolder): StoresToInspect {
  return {
    logName: folder.log,
    keysName: basename(folder.keys),
    findLogLoss: async () => inspectLog(folder),
    head: async () => readLog(folder, ({ head }) => head()) ?? 0,
    record: async (event) => recordLoss(folder, event),
    dropReadModels: async () => removeReadStoreFile(folder.path),
    inspectKeys: async (expected) => inspectKeys(folder, expected),
    setKeysAside: async (suffix) => {
      for (const end of databaseSuffixes) {
        const file = `${folder.keys}${end}`
        if (existsSync(file)) renameSync(file, `${folder.keys}${suffix}${end}`)
      }
      return `${folder.keys}${suffix}`
    },
    openKeys: async (secrets) => openEmbeddedKeyStore({ folder: folder.path, ...secrets }),
  }
}

function readLog<Found>(
  { log }: Pick<DataFolder, 'log'>,
  read: (reader: ReturnType<typeof openLogReader>) => Found,
): Found | undefined {
  if (readFileSize(log) === 0) return undefined
  const reader = openLogReader(log)
  try {
    return read(reader)
  } finally {
    reader.close()
  }
}

/** Appends the event to the log of an unused folder, makes the log when it is missing, and updates its witness. */
export function recordLoss(files: Pick<DataFolder, 'log' | 'witness'>, event: NewEvent): number {
  const writer = openLogWriter({ file: files.log, witness: files.witness, head: openSharedHead() })
  try {
    const last = readLog(files, ({ readTail }) => readTail(1, lossStream)[0])
    const result = writer.commit([appendBehind(last, event)])
    const [answer] = result.kind === 'written' ? result.answers : []
    if (answer?.ok) return answer.position
    throw new Error(result.kind === 'refused' ? result.reason : 'The loss cannot be recorded.')
  } finally {
    writer.close()
  }
}

function appendBehind(last: RecordedEvent | undefined, event: NewEvent): Append {
  return { stream: lossStream, events: [event], expected: last?.revision ?? 'no_stream' }
}

function onServers({ events, mongo, findLogLoss }: OpenedServers): StoresToInspect {
  return {
    ...mongo,
    logName: 'the log that EVENTSTORE_URL leads to',
    keysName: 'sealing_keys',
    findLogLoss,
    head: events.head,
    record: async (event) => {
      const [last] = await events.readTail(1, lossStream)
      const answer = await events.append(appendBehind(last, event))
      if (answer.ok) return answer.position
      throw new Error('Somebody else writes to the log: stop every service that uses it first.')
    },
  }
}

/** The event that records what the owner goes on without. */
export function encodeLossEvent(
  { endPosition: kept, seen = 0, provenBy }: LogLoss,
  options: LossOptions,
): NewEvent {
  const missing = seen > kept && { missing: { first: kept + 1, last: seen } }
  const data = { kept_position: kept, ...missing, proven_by: provenBy }
  return encoded({ type: 'LogLossAccepted', data }, options)
}

function encoded(event: LossEvent, { clock, random }: LossOptions): NewEvent {
  const context = {
    account: managedAccountId,
    actor: 'operator',
    request: '',
    command: uuidV7(clock, random),
    time: clock.nowMs(),
  }
  return encode({ event, context, index: 0 }, noKeyring)
}
