/** How the fake EventStoreDB reads: a stream or all of the log, in both directions, and then what comes. */

import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import { type handleServerStreamingCall, type ServerWritableStream, status } from '@grpc/grpc-js'
import {
  deletedStream,
  type FakeFaults,
  notLeader,
  type ReadFault,
  type SubscriptionFault,
  unavailable,
} from './fakeFaults.ts'
import type { FakeLog, StoredEvent } from './fakeLog.ts'
import {
  caughtUp,
  checkpoint,
  confirmation,
  notFound,
  readEvent,
  streamName,
} from './fakeMessages.ts'

type ReadCall = ServerWritableStream<ReadReq, ReadResp>
type Options = NonNullable<ReturnType<ReadReq['getOptions']>>

export interface FakeReads {
  readonly read: handleServerStreamingCall<ReadReq, ReadResp>
  /** Reads and subscriptions that have come so far, */
  readonly count: () => number
  readonly subscriptions: () => number
  /** how many of these asked for a filter, and so for checkpoints, */
  readonly filtered: () => number
  /** and the subscriptions that are open. */
  readonly open: () => number
  /** Ends every open subscription, cleanly or with an error. */
  readonly endAll: (error?: 'unavailable' | 'cancelled' | 'not leader') => void
}

const backwards = 1

export function fakeReads(log: FakeLog, faults: FakeFaults): FakeReads {
  const open = new Set<ReadCall>()
  let reads = 0
  let subscriptions = 0
  let filtered = 0
  return {
    read: (call) => {
      const options = call.request.getOptions()
      if (!options) return void call.emit('error', { code: status.UNKNOWN })
      if (options.hasSubscription()) {
        subscriptions += 1
        filtered += Number(options.hasFilter())
        open.add(call)
        call.on('cancelled', () => open.delete(call))
        subscribe(log, call, faults.subscription(subscriptions) ?? {})
        return
      }
      reads += 1
      const fault = faults.read(reads)
      const error = errorOf(fault, faults)
      if (error) call.emit('error', error)
      else if (fault !== 'ignored') answer(log, call, fault === 'cut in the middle')
    },
    count: () => reads,
    subscriptions: () => subscriptions,
    filtered: () => filtered,
    open: () => open.size,
    endAll: (error) => {
      for (const call of open) {
        if (error === undefined) call.end()
        else if (error === 'not leader') call.emit('error', notLeader(faults))
        else if (error === 'unavailable') call.emit('error', unavailable())
        else call.emit('error', { code: status.CANCELLED, details: 'Operation canceled by server' })
      }
      open.clear()
    },
  }
}

function errorOf(fault: ReadFault | undefined, faults: FakeFaults) {
  if (fault === 'unavailable') return unavailable()
  if (fault === 'not leader') return notLeader(faults)
  if (fault === 'denied') return { code: status.PERMISSION_DENIED, details: 'Access Denied.' }
  if (fault !== 'unauthenticated') return undefined
  return { code: status.UNAUTHENTICATED, details: 'Unauthenticated.' }
}

function answer(log: FakeLog, call: ReadCall, cut: boolean): void {
  const options = call.request.getOptions() as Options
  const name = options.getStream()?.getStreamIdentifier()
  const stream = streamName(name)
  if (options.hasStream() && log.isTombstoned(stream)) {
    return void call.emit('error', deletedStream(stream))
  }
  const events = options.hasStream() ? log.stream(stream) : log.events
  if (!events) {
    call.write(notFound(name))
    call.end()
    return
  }
  const chosen = options.hasStream() ? ofStream(events, options) : ofLog(events, options)
  if (!chosen) return void call.emit('error', invalidRead)
  const page = chosen.slice(0, Number(options.getCount()))
  for (const event of cut ? page.slice(0, page.length / 2) : page) call.write(readEvent(event))
  if (cut) call.emit('error', unavailable())
  else call.end()
}

/**
 * What a server says of a position at which no record begins: KurrentDB goes on after it with what it has found there.
 */
const invalidRead = {
  code: status.UNKNOWN,
  details: 'Unexpected ReadAllResult: InvalidPosition',
}
const invalidSubscription = {
  code: status.INVALID_ARGUMENT,
  details: 'Trying to read from an invalid position.',
}

function ofStream(events: readonly StoredEvent[], options: Options): readonly StoredEvent[] {
  const from = options.getStream()
  if (options.getReadDirection() === backwards) {
    const last = from?.hasRevision() ? Number(from.getRevision()) : Number.POSITIVE_INFINITY
    return events.filter(({ revision }) => revision <= last).toReversed()
  }
  const first = from?.hasRevision() ? Number(from.getRevision()) : 0
  return from?.hasEnd() ? [] : events.filter(({ revision }) => revision >= first)
}

/** Forwards with the event at the position, backwards without it; undefined for a position that no event has. */
function ofLog(
  events: readonly StoredEvent[],
  options: Options,
): readonly StoredEvent[] | undefined {
  const from = options.getAll()
  const isBackwards = options.getReadDirection() === backwards
  if (from?.hasStart()) return isBackwards ? [] : events
  if (from?.hasEnd()) return isBackwards ? events.toReversed() : []
  const at = Number(from?.getPosition()?.getCommitPosition())
  if (!isPosition(events, at)) return undefined
  return isBackwards
    ? events.filter(({ position }) => position < at).toReversed()
    : events.filter(({ position }) => position >= at)
}

function isPosition(events: readonly StoredEvent[], at: number): boolean {
  const last = events.at(-1)?.position ?? 0
  return at > last || events.some(({ position }) => position === at)
}

/**
 * Everything after the position, then what comes; a position beyond the end of the log skips in silence what comes
 * before it.
 */
function subscribe(log: FakeLog, call: ReadCall, fault: SubscriptionFault): void {
  if (fault.ignored) return
  const options = call.request.getOptions() as Options
  const all = options.getAll()
  call.write(confirmation())
  const after = all?.hasPosition() ? Number(all.getPosition()?.getCommitPosition()) : 0
  if (after > 0 && !isPosition(log.events, after)) {
    return void call.emit('error', invalidSubscription)
  }
  const { events } = log
  let at = all?.hasEnd() ? events.length : events.findIndex(({ position }) => position > after)
  if (at < 0) at = events.length
  let left = fault.endsAfter ?? fault.silentAfter ?? Number.POSITIVE_INFINITY
  const send = (event: StoredEvent): void => {
    if (left === 0 || call.cancelled || call.writableEnded) return
    const tell = () => fault.checkpoints && call.write(checkpoint(checkpointOf(log, fault)))
    tell()
    if (event.position > after) call.write(readEvent(event))
    tell()
    left -= 1
    if (left === 0 && fault.silentAfter === undefined) call.end()
  }
  const next = (): void => {
    for (; at < events.length; at += 1) send(events[at] as StoredEvent)
  }
  for (const event of repeated(log, after, fault)) call.write(readEvent(event))
  next()
  if (left > 0) call.write(caughtUp())
  const stop = log.onEvent(next)
  call.on('cancelled', stop)
  call.on('finish', stop)
}

function checkpointOf({ events }: FakeLog, { checkpoints }: SubscriptionFault): string {
  return checkpoints === 'nowhere' ? '18446744073709551615' : `${events.at(-1)?.position}`
}

function repeated(
  log: FakeLog,
  position: number,
  { repeats = 0, reordered = false }: SubscriptionFault,
): readonly StoredEvent[] {
  if (repeats === 0) return []
  const last = log.events.filter((event) => event.position <= position).slice(-repeats)
  return reordered ? last.toReversed() : last
}
