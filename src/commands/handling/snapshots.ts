/** Long streams kept as they were folded, and opened from there: checked against the log, and left alone when they do not fit it. */

import { createHash, type Hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DomainEvent } from '../../events/recording/event.ts'
import type { EventStore, RecordedEvent } from '../../stores/eventStore.ts'
import type { SnapshotHead, SnapshotStore } from '../../stores/snapshotStore.ts'
import type { Family, FoldedStream, SnapshotForm } from './family.ts'
import { fresh } from './foldStream.ts'

export interface Snapshots {
  readonly store: SnapshotStore
  /** Keyed digest of a text, for one purpose. */
  readonly digest: (purpose: string, text: string) => string
  /** Runs what nobody waits for. */
  readonly run: (work: () => Promise<void>) => void
  /** Told why a snapshot could not be used; the stream is read from its beginning then. */
  readonly onFault: (error: unknown) => void
}

interface Snapshotting<State> extends Snapshots {
  readonly log: Pick<EventStore, 'readStream'>
  readonly form: SnapshotForm<State>
}

/** The first part: what is held of the stream beside its state. */
interface Beside {
  readonly commands: readonly (readonly [string, number])[]
  readonly lastCommand?: string
}

/** Keeps the stream as it is at this moment; settles when it is kept. */
function saveSnapshot<State>(
  { store, log, form, digest }: Snapshotting<State>,
  stream: string,
  folded: FoldedStream<State>,
): Promise<void> {
  const { revision, position, commands, lastCommand } = folded
  const beside: Beside = {
    commands: [...commands],
    ...(lastCommand !== undefined && { lastCommand }),
  }
  const parts = form.take(folded.state)
  return save()

  async function save(): Promise<void> {
    const [event] = await log.readStream(stream, { from: revision, limit: 1 })
    if (!event) return
    const hash = createHash('sha256')
    let part = 0
    for (const one of withFirst(beside, parts)) {
      const text = JSON.stringify(one)
      hash.update(text).update('\n')
      await store.putPart({ stream, revision, part }, text)
      part += 1
      await nextTurn()
    }
    const head = {
      stream,
      shape: form.shape,
      revision,
      position,
      event: eventDigest(event),
      parts: part,
    }
    await store.publish({ ...head, digest: digestOf(head, hash, digest) })
  }
}

/** The stream as the newest snapshot has it that is no later than a position; undefined when there is none that fits the log. */
async function openSnapshot<State>(
  snapshots: Snapshotting<State>,
  stream: string,
  { family, upTo = Number.POSITIVE_INFINITY }: Opening<State>,
): Promise<FoldedStream<State> | undefined> {
  try {
    const head = await snapshots.store.newest(stream)
    if (!head || head.position > upTo) return undefined
    const read = await readSnapshot(snapshots, head)
    if (!read) await snapshots.store.drop(head)
    const { revision, position } = head
    return (
      read && { ...fresh(family), ...read, revision, position, known: position, saved: revision }
    )
  } catch (error) {
    snapshots.onFault(error)
    return undefined
  }
}

interface Opening<State> {
  readonly family: Family<State, never>
  readonly upTo?: number
}

type Read<State> = Pick<FoldedStream<State>, 'state' | 'commands' | 'lastCommand'>

async function readSnapshot<State>(
  { store, log, form, digest }: Snapshotting<State>,
  head: SnapshotHead,
): Promise<Read<State> | undefined> {
  const { stream, revision } = head
  const [event] = await log.readStream(stream, { from: revision, limit: 1 })
  if (head.shape !== form.shape || !event || eventDigest(event) !== head.event) return undefined
  const hash = createHash('sha256')
  const building = form.build()
  let beside: Beside = { commands: [] }
  for (let part = 0; part < head.parts; part += 1) {
    const text = await store.part({ stream, revision, part })
    if (text === undefined) return undefined
    hash.update(text).update('\n')
    if (part === 0) beside = JSON.parse(text) as Beside
    else building.add(JSON.parse(text))
    await nextTurn()
  }
  if (digestOf(head, hash, digest) !== head.digest) return undefined
  const { commands, lastCommand } = beside
  return { state: building.state(), commands: new Map(commands), lastCommand }
}

function* withFirst(first: unknown, others: Iterable<unknown>): Generator<unknown> {
  yield first
  yield* others
}

function eventDigest({
  id,
  type,
  data,
  metadata,
  stream,
  revision,
  position,
}: RecordedEvent): string {
  const all = JSON.stringify([id, type, data, metadata, stream, revision, position])
  return createHash('sha256').update(all).digest('base64url')
}

function digestOf(
  { stream, shape, revision, position, event, parts }: Omit<SnapshotHead, 'digest'>,
  hash: Hash,
  digest: Snapshots['digest'],
): string {
  const content = hash.digest('base64url')
  return digest(
    'snapshot',
    JSON.stringify([stream, shape, revision, position, event, parts, content]),
  )
}

/** Snapshots of the streams of one family. */
export interface Keeping<State> {
  /** The stream from its newest snapshot that is no later than a position; undefined when there is none that fits the log. */
  readonly open: (stream: string, upTo?: number) => Promise<FoldedStream<State> | undefined>
  /** Keeps the stream when it has grown enough since it was last kept; nobody waits for it. */
  readonly note: (stream: string, folded: FoldedStream<State>) => void
}

/** A stream is kept when it has grown by so many events since, and by one more for so many bytes of what is to be written. */
const grownMin = 200
const bytesForEvent = 16 * 1024

/** Opens the snapshots of a family; nothing is kept of one that has no form for it, or where there is no store. */
export function openKeeping<State, Event extends DomainEvent>(
  log: Pick<EventStore, 'readStream'>,
  family: Family<State, Event>,
  snapshots: Snapshots | undefined,
): Keeping<State> {
  const { snapshot: form, weigh } = family
  if (!snapshots || !form) return { open: async () => undefined, note: () => undefined }
  const all = { ...snapshots, log, form }
  let isBusy = false
  return {
    open: (stream, upTo) =>
      openSnapshot(all, stream, { family, ...(upTo !== undefined && { upTo }) }),
    note: (stream, folded) => {
      const grown = folded.revision - folded.saved
      if (isBusy || grown < Math.max(grownMin, weigh(folded.state) / bytesForEvent)) return
      isBusy = true
      folded.saved = folded.revision
      const saved = saveSnapshot(all, stream, folded)
      snapshots.run(() =>
        saved.finally(() => {
          isBusy = false
        }),
      )
    },
  }
}
