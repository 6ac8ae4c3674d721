/** Copies events and keys between stores, and compares both copies by count and digest. */

/*
 * Events by position, then keys by id. Both sides are read whole afterwards and compared by count and SHA-256. Known data is not rewritten.
 */

import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { type LogReader, readLogRange } from '../embedded/logReader.ts'
import type { RecordedEvent } from '../eventStore.ts'
import {
  createKeyDigest,
  type KeyDigest,
  type KeyRecords,
  type KeyTarget,
  walkKeys,
} from '../keys/keyRecords.ts'

/** A long task on whole stores that an operator waits for at a terminal. */
export interface CopyProgress {
  /** Ends it with its reason. */
  readonly signal: AbortSignal
  /** Told what it does and how far it has come with that. */
  readonly onProgress: (step: string, done: number, of: number) => void
}

/** A log and its keys, which a service may be using. */
export interface TransferSource {
  readonly log: Pick<LogReader, 'head' | 'readBatch' | 'readStream'>
  readonly keys: KeyRecords
}

export interface TransferTarget {
  /** What it is called in a refusal. */
  readonly name: string
  readonly log: {
    /** Appends events behind those that are there, in order. */
    readonly append: (events: readonly RecordedEvent[]) => Promise<void>
    /** The next events after a position of the target; none behind the last. */
    readonly after: (position: number) => Promise<readonly RecordedEvent[]>
    readonly last: () => Promise<RecordedEvent | undefined>
  }
  readonly keys: KeyTarget
}

export interface StoresCopy {
  readonly source: TransferSource
  readonly target: TransferTarget
  readonly work: CopyProgress
}

interface CopiedLog {
  readonly events: number
  /** Of the last event in the source, and its id; 0 and empty without one. */
  readonly position: number
  readonly id: string
  /** See `logDigest`; the same of both. */
  readonly digest: string
}

export interface CopyResult {
  readonly log: CopiedLog
  readonly keys: KeyDigest
}

/**
 * The log first: a key is stored before the first event that is sealed under it. Throws an `Error` with advice when the target has other
 * data; when that is so at the beginning, nothing was written.
 */
export async function copyStores(copy: StoresCopy): Promise<CopyResult> {
  const proof = await proofToCopy(copy)
  const log = await copyLog(copy, await findResume(copy))
  const keys = await copyKeys(copy)
  await compareLog(copy, log)
  await compareKeys(copy, keys)
  const stored = await copy.target.keys.finish(proof)
  if (!stored || !Buffer.from(stored).equals(proof))
    throw differs(copy, 'the keys are of another Vigil')
  return { log, keys }
}

async function proofToCopy({ source, target }: StoresCopy): Promise<Uint8Array> {
  const [proof, stored] = [await source.keys.proof(), await target.keys.proof()]
  if (!proof) throw new Error('The sealing keys were never in use: there is nothing to copy.')
  if (stored && !Buffer.from(stored).equals(proof)) throw holdsOther(target, 'sealing keys')
  return proof
}

/** The position in the source of the last event that the target has; 0 for none. */
async function findResume({ source, target }: StoresCopy): Promise<number> {
  const last = await target.log.last()
  if (!last) return 0
  const [known] = source.log.readStream(last.stream, { from: last.revision, limit: 1 })
  if (known && digestOf(known) === digestOf(last)) return known.position
  throw holdsOther(target, 'events')
}

function digestOf(event: RecordedEvent): string {
  const { add, hex } = logDigest()
  add(event)
  return hex()
}

/** Up to the last event that there is when it begins. */
async function copyLog({ source, target, work }: StoresCopy, resume: number): Promise<CopiedLog> {
  const { signal, onProgress } = work
  const digest = logDigest()
  const end = source.log.head()
  let last: RecordedEvent | undefined
  for await (const batch of readLogRange(source.log, { after: 0, end, signal })) {
    const missing = batch.filter(({ position }) => position > resume)
    if (missing.length > 0) await target.log.append(missing)
    for (const event of batch) digest.add(event)
    last = batch.at(-1)
    onProgress('Copying events', last?.position ?? 0, end)
  }
  const { position = 0, id = '' } = last ?? {}
  return { events: digest.events(), position, id, digest: digest.hex() }
}

/** Copies keys alone; the target need not have been empty. */
export async function copyKeys({ source, target, work }: KeysCopy): Promise<KeyDigest> {
  const size = await source.keys.size()
  return walkAndDigest(source.keys, work, { step: 'Copying keys', size, put: target.keys.put })
}

interface KeysCopy extends Pick<StoresCopy, 'work'> {
  readonly source: Pick<TransferSource, 'keys'>
  readonly target: Pick<TransferTarget, 'keys'>
}

interface KeysWalk {
  readonly step: string
  /** About how many there are. */
  readonly size: number
  readonly put?: KeyTarget['put']
}

async function walkAndDigest(
  keys: Pick<KeyRecords, 'after'>,
  { signal, onProgress }: CopyProgress,
  { step, size, put }: KeysWalk,
): Promise<KeyDigest> {
  const digest = createKeyDigest()
  let done = 0
  for await (const page of walkKeys(keys, signal)) {
    await put?.(page)
    for (const key of page) digest.add(key)
    done += page.length
    onProgress(step, done, Math.max(done, size))
  }
  return digest.end()
}

async function compareLog(copy: StoresCopy, { events, digest }: CopiedLog): Promise<void> {
  const { target, work } = copy
  const found = logDigest()
  let page = await target.log.after(0)
  for (; page.length > 0; page = await target.log.after(page.at(-1)?.position ?? 0)) {
    work.signal.throwIfAborted()
    for (const event of page) found.add(event)
    work.onProgress('Comparing events', found.events(), Math.max(found.events(), events))
    // an interruption is heard only between two turns
    await turn()
  }
  if (found.events() === events && found.hex() === digest) return
  throw differs(copy, `it has ${found.events()} events, not the same ${events}`)
}

async function compareKeys(
  copy: StoresCopy,
  { keys, destroyed, digest }: KeyDigest,
): Promise<void> {
  const walk = { step: 'Comparing keys', size: keys + destroyed }
  const has = await walkAndDigest(copy.target.keys, copy.work, walk)
  if (has.digest === digest) return
  throw differs(
    copy,
    `it has ${has.keys} keys and ${has.destroyed} destroyed ones, not the same ${keys} and ${destroyed}`,
  )
}

function holdsOther({ name }: TransferTarget, what: string): Error {
  return new Error(
    `${name} holds other ${what} than are to be copied: name one that is empty, or that the same copy was interrupted on. Nothing was written.`,
  )
}

function differs({ target }: StoresCopy, what: string): Error {
  return new Error(
    `${target.name} does not have what was copied: ${what}. Nothing was changed where it was copied from; begin again with an empty one.`,
  )
}

/**
 * SHA-256 over one JSON array for each event: stream, revision, id, type, data and metadata as texts. `add` every event in order; after `hex`
 * none can be added.
 */
function logDigest() {
  const hash = createHash('sha256')
  let events = 0
  return {
    add: ({ stream, revision, id, type, data, metadata }: RecordedEvent): void => {
      events += 1
      hash.update(`${JSON.stringify([stream, revision, id, type, data, metadata])}\n`)
    },
    events: () => events,
    hex: () => hash.digest('hex'),
  }
}
