import { status as grpc } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import type { AppendFault } from '../../support/eventStoreDb/fakeFaults.ts'
import {
  appendSizeProblem,
  eventSizeProblem,
  type FakeProblem,
  notHandledProblem,
  timeoutProblem,
} from '../../support/eventStoreDb/fakeMessages.ts'
import { fakeForTest, openOn } from '../support/fakeUnderTest.ts'
import { newAppend } from '../support/newEvents.ts'

const pace = {
  attemptMs: 30_000,
  attempts: 3,
  backoffMs: 1,
  againMs: 60_000,
  probeEveryMs: 600_000,
}

const answered = (code: number, type: string, value = ''): AppendFault => ({
  answer: { code, message: type, type, value: Buffer.from(value, 'hex') },
})
const ended = (code: number, details = 'x'): AppendFault => ({ end: { code, details } })
const problem = (answer: FakeProblem): AppendFault => ({ answer })

/**
 * What becomes of an append that is always answered so: what its caller gets, how often it was sent, and what is
 * thought of the log.
 */
interface Fate {
  readonly refused: object
  readonly sent: number
  readonly isWritable: boolean
}

/** The fault of the request: the caller is told, and nobody else notices. */
const tooLarge = (message: string): Fate => ({
  refused: { code: 'payload_too_large', message: expect.stringContaining(message) },
  sent: 1,
  isWritable: true,
})
/** A mistake of the program in this append: an unexpected error. */
const mistake: Fate = { refused: { name: 'Error' }, sent: 1, isWritable: true }
/** The stream is damaged, and others are not. */
const damaged: Fate = {
  refused: { code: 'unavailable', isDamage: true },
  sent: 1,
  isWritable: true,
}
/** The user may not write: it is not tried again, and the log takes no appends. */
const denied: Fate = { refused: { code: 'unavailable' }, sent: 1, isWritable: false }
/** It may have been written, or may be soon: it is sent again until the attempts are over. */
const retried: Fate = { refused: { code: 'unavailable' }, sent: 3, isWritable: false }

/**
 * Every error that `BatchAppendResp` can have (Status.cs and Streams.BatchAppend.cs of 24.10 and 26.1), and what a call
 * can end with.
 */
const fates: readonly (readonly [string, AppendFault, Fate])[] = [
  [
    'MaximumAppendSizeExceeded',
    problem(appendSizeProblem(20)),
    tooLarge('39 bytes of events, and at most 20'),
  ],
  [
    'MaximumAppendEventSizeExceeded',
    problem(eventSizeProblem(eventWithId('e-1'), 3_018, 2_000)),
    tooLarge('one event of 3018 bytes, and at most 2000'),
  ],
  ['StreamDeleted', answered(5, 'StreamDeleted'), damaged],
  ['AccessDenied', answered(7, 'AccessDenied'), denied],
  ['BadRequest', answered(3, 'BadRequest'), mistake],
  ['another invalid argument', answered(3, 'NewInTheNextVersion'), mistake],
  ['Timeout', problem(timeoutProblem()), retried],
  ['InvalidTransaction', answered(9, 'InvalidTransaction'), retried],
  ['Unknown', answered(2, 'Unknown'), retried],
  ['an internal error', answered(13, 'google.protobuf.Empty'), retried],
  ['Server Is Not Ready', problem(notHandledProblem('Server Is Not Ready')), retried],
  ['Server Is Busy', problem(notHandledProblem('Server Is Busy')), retried],
  ['no leader', problem(notHandledProblem('No leader info available in response')), retried],
  ['a call cancelled', ended(grpc.CANCELLED), retried],
  ['a call ended with UNKNOWN', ended(grpc.UNKNOWN), retried],
  ['a call ended with INVALID_ARGUMENT', ended(grpc.INVALID_ARGUMENT), retried],
  ['a call ended with DEADLINE_EXCEEDED', ended(grpc.DEADLINE_EXCEEDED), retried],
  ['a call ended with NOT_FOUND', ended(grpc.NOT_FOUND), retried],
  ['a call ended with PERMISSION_DENIED', ended(grpc.PERMISSION_DENIED), denied],
  ['a call ended with RESOURCE_EXHAUSTED', ended(grpc.RESOURCE_EXHAUSTED), retried],
  ['a call ended with ABORTED', ended(grpc.ABORTED), retried],
  ['a call ended with INTERNAL', ended(grpc.INTERNAL), retried],
  ['a call ended with UNAVAILABLE', ended(grpc.UNAVAILABLE), retried],
  ['a call ended with UNAUTHENTICATED', ended(grpc.UNAUTHENTICATED), denied],
]

function eventWithId(id: string) {
  return { id, type: 'T', contentType: '', data: new Uint8Array(), metadata: new Uint8Array() }
}

describe('an append that EventStoreDB never takes', () => {
  test.each(fates)(
    'given %s as its answer, when appended, then that becomes of it, and nothing is written',
    async (_, fault, { refused, sent, isWritable }) => {
      const fake = await fakeForTest()
      fake.faults.append = () => fault
      const said: (string | undefined)[] = []
      const store = await openOn(fake, { pace, onHealthChange: (reason) => said.push(reason) })

      const append = store.append(newAppend('a-1', 'no_stream', 'x'))

      await expect(append).rejects.toMatchObject(refused)
      expect(fake.appends.count()).toBe(sent)
      expect(store.isWritable()).toBe(isWritable)
      expect(said).toEqual(isWritable ? [] : [expect.any(String)])
      expect(fake.log.stream('a-1')).toBeUndefined()
    },
  )
})
