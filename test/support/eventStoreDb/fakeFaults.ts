/** What a fake EventStoreDB does wrong when it is told to. */

import { Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { FakeProblem } from './fakeMessages.ts'

export type AppendFault =
  /** Written, and the answer is lost. */
  | 'answer dropped'
  /** Not written, and no answer either. */
  | 'ignored'
  /** Written, and instead of an answer the call ends with an error. */
  | 'cut after the write'
  /** Not written, and the call ends with an error. */
  | 'cut before the write'
  /** Written, and answered that it took too long. */
  | 'late'
  /** Written, and answered a while later. */
  | 'slow'
  /** What a server says that is starting or stopping. */
  | 'not ready'
  | 'not leader'
  /** What a user is told who may not write to the stream. */
  | 'denied'
  /** Not written, and answered with this. */
  | { readonly answer: FakeProblem }
  /** Not written, and the call ends with this. */
  | { readonly end: Partial<ServiceError> }

export type ReadFault =
  | 'ignored'
  | 'unavailable'
  | 'not leader'
  | 'cut in the middle'
  /** What a user is told who may not read all of the log, and one who is not known. */
  | 'denied'
  | 'unauthenticated'

export interface SubscriptionFault {
  /** Accepts the call and says nothing more. */
  readonly ignored?: boolean
  /** Ends the call, without an error, after so many events. */
  readonly endsAfter?: number
  /** Says nothing more after so many events. */
  readonly silentAfter?: number
  /** Delivers the last events before the position once more, */
  readonly repeats?: number
  /** and the newest of them first. */
  readonly reordered?: boolean
  /** Tells before and after each event that it has come to the end of the log, or to a place that is none. */
  readonly checkpoints?: 'ahead' | 'nowhere'
}

type FeatureFault = 'internal' | 'ignored' | 'unimplemented'

/** Each is asked with the number of the call, from 1; undefined for none. */
export interface FakeFaults {
  append: (call: number) => AppendFault | undefined
  read: (call: number) => ReadFault | undefined
  subscription: (call: number) => SubscriptionFault | undefined
  features: (call: number) => FeatureFault | undefined
  /** How far the clock of the server is ahead: deadlines before it answer `Timeout`, unwritten. */
  clockAheadMs: number
  /** Most bytes of one append (`MaxAppendSize`), and of one event (`MaxAppendEventSize`), as the server counts them. */
  appendBytesMax: number
  eventBytesMax: number
  /**
   * What the server does with an append that comes again while the first is being written: 24.10.14 and KurrentDB drop
   * it, and answer that it took too long when `writeTimeoutMs` are over; 23.10 and 24.10.0 answer a wrong revision.
   */
  duplicates: 'dropped' | 'wrong revision'
  writeTimeoutMs: number
  /** Where the leader is said to be. */
  leader: { readonly host: string; readonly port: number }
  /** A server before 22.6 names no such features. */
  old: boolean
}

export function noFaults(): FakeFaults {
  const none = () => undefined
  return {
    append: none,
    read: none,
    subscription: none,
    features: none,
    clockAheadMs: 0,
    appendBytesMax: 1024 * 1024,
    eventBytesMax: 16 * 1024 * 1024,
    duplicates: 'dropped',
    writeTimeoutMs: 2_000,
    leader: { host: '127.0.0.1', port: 0 },
    old: false,
  }
}

export function notLeader({ leader }: FakeFaults): Partial<ServiceError> {
  const metadata = new Metadata()
  metadata.set('exception', 'not-leader')
  metadata.set('leader-endpoint-host', leader.host)
  metadata.set('leader-endpoint-port', `${leader.port}`)
  const details = `Leader info available: ${leader.host}:${leader.port}`
  return { code: status.NOT_FOUND, details, metadata }
}

export function unavailable(): Partial<ServiceError> {
  return { code: status.UNAVAILABLE, details: 'Server shutting down' }
}

export function deletedStream(name: string): Partial<ServiceError> {
  const metadata = new Metadata()
  metadata.set('exception', 'stream-deleted')
  metadata.set('stream-name', name)
  const details = `Event stream '${name}' is deleted.`
  return { code: status.FAILED_PRECONDITION, details, metadata }
}
