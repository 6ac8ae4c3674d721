import { expect, onTestFinished, test } from 'vitest'
import { startThread } from '../../../src/stores/embedded/threadCalls.ts'
import { eventually } from '../../support/eventually.ts'
import type { ServingCalls } from '../support/servingThread.ts'

function started() {
  const told: string[] = []
  const died: string[] = []
  const thread = startThread<ServingCalls, string>({
    beside: import.meta.url,
    module: '../support/servingThread',
    onTold: (text) => told.push(text),
    onDied: (why) => died.push(why),
  })
  onTestFinished(thread.close)
  return { ...thread, told, died }
}

test('what is asked together is answered each with its own, whichever is done first', async () => {
  const { call } = started()

  const answers = await Promise.all([call('later', 1), call('double', 2), call('later', 3)])

  expect(answers).toEqual([1, 4, 3])
})

test('bytes go there and back', async () => {
  expect(await started().call('bytes', Uint8Array.of(1, 2))).toEqual(Uint8Array.of(2, 3))
})

test('a failure is thrown as it was, any other error with its words', async () => {
  const { call } = started()

  await expect(call('refuse', 'not_found')).rejects.toMatchObject({
    code: 'not_found',
    message: 'There is none.',
    param: 'id',
    retryAfterSeconds: 3,
    cause: { message: 'for the operator' },
  })
  await expect(call('refuse', undefined)).rejects.toThrow('out of order')
})

test('what is cancelled is refused at once, and given up by the thread', async () => {
  const { call, told } = started()
  await call('double', 1)
  const cancel = new AbortController()
  const asked = call('untilCancelled', undefined, cancel.signal)

  cancel.abort()

  await expect(asked).rejects.toMatchObject({ code: 'unavailable' })
  await eventually(() => told.includes('cancelled'))
})

test('what a thread tells comes in order, before the answer that follows it', async () => {
  const { call, told } = started()

  await call('tell', 'one')
  await call('tell', 'two')

  expect(told).toEqual(['one', 'two'])
})

test('closing cancels what is under way, closes what is open, and refuses what comes later', async () => {
  const { call, close, told, died } = started()
  const asked = call('untilCancelled', undefined).catch((error: Error) => error.message)

  await close()

  expect(await asked).toBe('given up')
  expect(told).toEqual(['cancelled', 'closed'])
  await expect(call('double', 1)).rejects.toMatchObject({ code: 'unavailable' })
  expect(died).toEqual([])
})

test('a thread that dies refuses what it was asked, and says why once', async () => {
  const { call, died } = started()
  const waiting = call('untilCancelled', undefined)

  void call('die', undefined)

  await expect(waiting).rejects.toMatchObject({
    code: 'unavailable',
    cause: { message: 'out of memory' },
  })
  await expect(call('double', 1)).rejects.toMatchObject({ code: 'unavailable' })
  expect(died).toEqual(['out of memory'])
})
