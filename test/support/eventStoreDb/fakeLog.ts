/**
 * The log of the fake EventStoreDB: streams, positions as byte offsets, and what the server promises about duplicates.
 */

export interface FakeEvent {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

export interface StoredEvent extends FakeEvent {
  readonly stream: string
  /** `tombstoneRevision` of what a tombstone leaves. */
  readonly revision: number
  /** Commit and prepare alike, as on a server whose events come through gRPC. */
  readonly position: number
  /** 100 nanoseconds since 1970. */
  readonly createdTicks: string
}

/** Stands for 2^63 - 1, which is the revision on the wire. */
export const tombstoneRevision = Number.POSITIVE_INFINITY

export type FakeExpectation = 'any' | 'no_stream' | number

export type FakeAnswer =
  | { readonly kind: 'success'; readonly revision: number; readonly position: number | undefined }
  | { readonly kind: 'wrong revision'; readonly current: number }
  | { readonly kind: 'deleted' }

export interface FakeLog {
  /** In order. */
  readonly events: readonly StoredEvent[]
  readonly append: (
    stream: string,
    expected: FakeExpectation,
    events: readonly FakeEvent[],
  ) => FakeAnswer
  /** Undefined for a stream that is not there or soft-deleted. */
  readonly stream: (name: string) => readonly StoredEvent[] | undefined
  readonly isTombstoned: (name: string) => boolean
  readonly softDelete: (name: string) => number
  /** Deletes the stream for good; what is left of it in the log has this id. */
  readonly tombstone: (name: string, id?: string) => number
  /** What the server writes for itself. */
  readonly writeSystemEvent: (stream?: string) => void
  /** Forgets the last events, like a server restored from an older copy. */
  readonly truncate: (count: number) => void
  /** Calls back after every event until the answer is called. */
  readonly onEvent: (hear: () => void) => () => void
}

interface FakeStream {
  readonly events: StoredEvent[]
  state: 'open' | 'soft deleted' | 'tombstoned'
}

/** Bytes that a record takes beside its event. */
const recordBytes = 96

export function fakeLog(): FakeLog {
  const events: StoredEvent[] = []
  const streams = new Map<string, FakeStream>()
  const hearers = new Set<() => void>()
  let offset = 548

  const open = (name: string): FakeStream => {
    const stream = streams.get(name) ?? { events: [], state: 'open' }
    streams.set(name, stream)
    return stream
  }
  const place = (bytes: number): number => {
    const position = offset
    offset += recordBytes + bytes
    return position
  }
  const write = (name: string, stream: FakeStream, event: FakeEvent): StoredEvent => {
    const stored = {
      ...event,
      stream: name,
      revision: (stream.events.at(-1)?.revision ?? -1) + 1,
      position: place(name.length + event.type.length + event.data.length + event.metadata.length),
      createdTicks: ticks(),
    }
    stream.events.push(stored)
    events.push(stored)
    return stored
  }
  const tell = () => {
    for (const hear of [...hearers]) hear()
  }
  const append: FakeLog['append'] = (name, expected, proposed) => {
    const stream = open(name)
    if (stream.state === 'tombstoned') return { kind: 'deleted' }
    const known = answerOfKnown(stream, expected, proposed)
    if (known) return known
    stream.state = 'open'
    let last = stream.events.at(-1)
    for (const event of proposed) last = write(name, stream, event)
    tell()
    return { kind: 'success', revision: last?.revision ?? -1, position: last?.position ?? 0 }
  }
  const writeSystemEvent = (name = '$$$scavenges', id: string = crypto.randomUUID()): void => {
    append(name, 'any', [{ ...systemEvent, id }])
  }
  writeSystemEvent('$$$scavenges', '80d0b4d6-164e-4ff5-8b93-fbf16571d8c6')

  return {
    events,
    append,
    stream: (name) => {
      const stream = streams.get(name)
      if (stream?.state !== 'open' || stream.events.length === 0) return undefined
      const max = maxCountOf(streams.get(`$$${name}`)?.events.at(-1))
      return max === undefined ? stream.events : stream.events.slice(-max)
    },
    isTombstoned: (name) => streams.get(name)?.state === 'tombstoned',
    softDelete: (name) => {
      open(name).state = 'soft deleted'
      return place(0)
    },
    tombstone: (name, id = crypto.randomUUID()) => {
      open(name).state = 'tombstoned'
      const position = place(name.length)
      const revision = tombstoneRevision
      events.push({
        ...tombstoneEvent,
        id,
        stream: name,
        revision,
        position,
        createdTicks: ticks(),
      })
      tell()
      return position
    },
    writeSystemEvent,
    truncate: (count) => {
      for (const event of events.splice(events.length - count, count)) {
        if (event.revision !== tombstoneRevision) open(event.stream).events.pop()
        else open(event.stream).state = 'open'
        offset = event.position
      }
    },
    onEvent: (hear) => {
      hearers.add(hear)
      return () => hearers.delete(hear)
    },
  }
}

function ticks(): string {
  return `${Date.now()}0000`
}

const tombstoneEvent = {
  type: '$streamDeleted',
  contentType: 'application/octet-stream',
  data: new Uint8Array(),
  metadata: new Uint8Array(),
}

const systemEvent = {
  type: '$metadata',
  contentType: 'application/json',
  data: Buffer.from('{"$maxAge":2592000,"$acl":{"$r":"$ops","$w":[],"$d":[],"$mr":[],"$mw":[]}}'),
  metadata: new Uint8Array(),
}

/**
 * What a server has that others use as well: a stream of theirs that was deleted for good, and one that is named like
 * those of Vigil, with events that are not JSON.
 */
export function writeForeignEvents(log: FakeLog): void {
  for (const stream of ['basket-1', 'user-1']) {
    const [data, metadata] = [Buffer.from([0xff, 0x7b]), new Uint8Array()]
    const event = { type: 'UserCreated', contentType: 'application/octet-stream', data, metadata }
    log.append(stream, 'any', [{ ...event, id: crypto.randomUUID() }])
    log.append(stream, 'any', [
      { ...event, id: crypto.randomUUID(), metadata: Buffer.from('{"$correlationId":"1"}') },
    ])
  }
  log.tombstone('basket-1')
  log.append('user-1', 'any', [{ ...systemEvent, id: crypto.randomUUID(), type: '$>' }])
}

/** How many events of a stream are left to be read, by its metadata. */
function maxCountOf(metadata: StoredEvent | undefined): number | undefined {
  if (!metadata) return undefined
  const { $maxCount } = JSON.parse(Buffer.from(metadata.data).toString('utf8'))
  return $maxCount
}

/** The answer of an append that writes nothing, undefined when its events are to be written. */
function answerOfKnown(
  { events, state }: FakeStream,
  expected: FakeExpectation,
  proposed: readonly FakeEvent[],
): FakeAnswer | undefined {
  if (expected === 'any') return undefined
  const current = events.length - 1
  const wanted = expected === 'no_stream' ? -1 : expected
  if (wanted === current) return undefined
  const same = wanted < current ? sameFrom(events, wanted + 1, proposed) : undefined
  if (same) return state === 'open' ? same : { ...same, position: undefined }
  if (state === 'soft deleted' && expected === 'no_stream') return undefined
  return { kind: 'wrong revision', current }
}

function sameFrom(events: readonly StoredEvent[], from: number, proposed: readonly FakeEvent[]) {
  const present = events.slice(from, from + proposed.length)
  const last = present.at(-1)
  if (!last || present.length < proposed.length) return undefined
  if (!proposed.every(({ id }, index) => present[index]?.id === id)) return undefined
  return { kind: 'success' as const, revision: last.revision, position: last.position }
}
