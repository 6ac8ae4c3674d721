/** Copies events and keys between stores, and compares both copies by count and digest. */

import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { type LogReader, readLogRange } from '../embedded/logReader.ts'
import type { RecordedEvent } from '../eventStore.ts'
import type { KeyRecord, KeyRecords, KeyTarget } from '../keys/keyRecords.ts'

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
  /** SHA-256, hexadecimal, over `fieldsOfEvent` of each event; the same of both. */
  readonly digest: string
}

interface CopiedKeys {
  readonly keys: number
  /** Number of recorded destructions. */
  readonly destroyed: number
  /** SHA-256, hexadecimal, over `fieldsOfKey` of each key. */
  readonly digest: string
}

export interface CopyResult {
  readonly log: CopiedLog
  readonly keys: CopiedKeys
}

/**
 * The log first: a key is stored before the first event that is sealed under it. Throws an `Error` with advice when the
 * target has other data; when that is so at the beginning, nothing was written.
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
  const isSame = known && lineOf(fieldsOfEvent(known)) === lineOf(fieldsOfEvent(last))
  if (isSame) return known.position
  throw holdsOther(target, 'events')
}

/** Up to the last event that there is when it begins. */
async function copyLog({ source, target, work }: StoresCopy, resume: number): Promise<CopiedLog> {
  const end = source.log.head()
  const pages = readLogRange(source.log, { after: 0, end, signal: work.signal })
  const copied = await digestPages(pages, work, {
    step: 'Copying events',
    size: end,
    fieldsOf: fieldsOfEvent,
    put: async (batch) => {
      const missing = batch.filter(({ position }) => position > resume)
      if (missing.length > 0) await target.log.append(missing)
    },
  })
  const { position = 0, id = '' } = copied.last ?? {}
  return { events: copied.count, position, id, digest: copied.digest }
}

/** Copies keys alone; the target need not have been empty. */
export async function copyKeys({
  source,
  target,
  work,
}: Pick<StoresCopy, 'work'> & {
  readonly source: Pick<TransferSource, 'keys'>
  readonly target: Pick<TransferTarget, 'keys'>
}): Promise<CopiedKeys> {
  const size = await source.keys.size()
  return digestKeys(source.keys, work, { step: 'Copying keys', size, put: target.keys.put })
}

async function compareLog(copy: StoresCopy, { events, digest }: CopiedLog): Promise<void> {
  const { target, work } = copy
  const pages = walkPages<RecordedEvent>(
    (last) => target.log.after(last?.position ?? 0),
    work.signal,
  )
  const walk = { step: 'Comparing events', size: events, fieldsOf: fieldsOfEvent }
  const found = await digestPages(pages, work, walk)
  if (found.count === events && found.digest === digest) return
  throw differs(copy, `it has ${found.count} events, not the same ${events}`)
}

async function compareKeys(copy: StoresCopy, expected: CopiedKeys): Promise<void> {
  const { keys, destroyed, digest } = expected
  const walk = { step: 'Comparing keys', size: keys + destroyed }
  const has = await digestKeys(copy.target.keys, copy.work, walk)
  if (has.digest === digest) return
  throw differs(
    copy,
    `it has ${has.keys} keys and ${has.destroyed} destroyed ones, not the same ${keys} and ${destroyed}`,
  )
}

async function digestKeys(
  { after }: Pick<KeyRecords, 'after'>,
  work: CopyProgress,
  { put, ...walk }: Omit<Walk<KeyRecord>, 'fieldsOf'>,
): Promise<CopiedKeys> {
  const pages = walkPages<KeyRecord>((last) => after(last?.id ?? ''), work.signal)
  let destroyed = 0
  const { count, digest } = await digestPages(pages, work, {
    ...walk,
    fieldsOf: fieldsOfKey,
    put: async (page) => {
      await put?.(page)
      destroyed += page.filter((key) => 'destroyedAtMs' in key).length
    },
  })
  return { keys: count - destroyed, destroyed, digest }
}

/**
 * Pages in order, each asked for by the last item of the one before. Ends with the reason of the signal; throws what
 * the store throws.
 */
async function* walkPages<Item>(
  next: (last: Item | undefined) => Promise<readonly Item[]>,
  signal: AbortSignal,
): AsyncGenerator<readonly Item[], void, undefined> {
  let last: Item | undefined
  for (;;) {
    signal.throwIfAborted()
    const page = await next(last)
    if (page.length === 0) return
    yield page
    last = page.at(-1)
    // an interruption is heard only between two turns
    await turn()
  }
}

interface Walk<Item> {
  readonly step: string
  /** About how many items there are. */
  readonly size: number
  readonly fieldsOf: (item: Item) => readonly unknown[]
  readonly put?: (page: readonly Item[]) => Promise<void>
}

async function digestPages<Item>(
  pages: AsyncIterable<readonly Item[]>,
  { onProgress }: CopyProgress,
  { step, size, fieldsOf, put }: Walk<Item>,
) {
  const hash = createHash('sha256')
  let count = 0
  let last: Item | undefined
  for await (const page of pages) {
    await put?.(page)
    for (const item of page) hash.update(lineOf(fieldsOf(item)))
    count += page.length
    last = page.at(-1)
    onProgress(step, count, Math.max(count, size))
  }
  return { count, last, digest: hash.digest('hex') }
}

/** What is digested of an item: a JSON array of its fields. */
function lineOf(fields: readonly unknown[]): string {
  return `${JSON.stringify(fields)}\n`
}

/** Data and metadata as texts; without its position, which differs between stores. */
function fieldsOfEvent({ stream, revision, id, type, data, metadata }: RecordedEvent) {
  return [stream, revision, id, type, data, metadata]
}

/** Id, wrapped secret in base64, time of its destruction. */
function fieldsOfKey(key: KeyRecord) {
  if ('destroyedAtMs' in key) return [key.id, null, key.destroyedAtMs]
  return [key.id, Buffer.from(key.wrapped).toString('base64'), null]
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
