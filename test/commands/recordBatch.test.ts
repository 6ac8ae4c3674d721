import { expect, test } from 'vitest'
import { recordBatch } from '../../src/commands/feedback/reports.ts'
import type { Append } from '../../src/stores/eventStore.ts'
import { newEvent } from '../stores/support/newEvents.ts'

const context = {
  account: 'acc_1',
  actor: 'tok_1',
  request: 'req_1',
  command: '0b1f5c0e-8a52-5c0f-9d0a-6f3f0e6e9d11',
  time: 0,
}

test('given a batch, when it is recorded, then it is one append', async () => {
  const appends: Append[] = []
  const store = {
    append: async (append: Append) => {
      appends.push(append)
      return { ok: true, revision: 1, position: 2 } as const
    },
    readStream: async () => [],
  }
  const encode = async (_: unknown, __: unknown, index: number) => newEvent(`${index}`)
  const decode = () => {
    throw new Error('nothing is on record')
  }
  const event = { type: 'FeedbackReceived', data: {} } as never

  const recorded = await recordBatch(
    { store, encode, decode },
    { stream: 'feedback-1', context, events: [event, event] },
  )

  expect(recorded).toEqual({ position: 2, request: 'req_1', repeated: false })
  expect(appends).toEqual([
    {
      stream: 'feedback-1',
      events: [newEvent('0'), newEvent('1')],
      expected: 'no_stream',
    },
  ])
})
