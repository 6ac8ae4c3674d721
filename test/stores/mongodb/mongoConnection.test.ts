import { MongoNetworkError, MongoServerSelectionError, type TopologyDescription } from 'mongodb'
import { expect, test } from 'vitest'
import { connectBeforeCalls } from '../../../src/stores/mongodb/mongoConnection.ts'

/** A client whose connections fail with these errors, until none is left; and what was done with it. */
function openClient(...errors: readonly Error[]) {
  const left = [...errors]
  const done: string[] = []
  const client = {
    connect: async () => {
      done.push('connect')
      const error = left.shift()
      if (error) throw error
      return client as never
    },
  }
  const close = async () => void done.push('close')
  return { done, call: connectBeforeCalls(client, close) }
}

const noServer = () => new MongoServerSelectionError('no server', {} as TopologyDescription)
const failWith = (error: Error) => () => Promise.reject(error)

test('given calls that are answered, or fail otherwise, then it connects once', async () => {
  const { call, done } = openClient()
  const error = new MongoNetworkError('connection 1 closed')

  expect(await call(async () => 'answered')).toBe('answered')
  await expect(call(failWith(error))).rejects.toBe(error)
  expect(await call(async () => 'answered')).toBe('answered')

  expect(done).toEqual(['connect'])
})

test('given a call that found no server, then the next one connects anew', async () => {
  const { call, done } = openClient()
  const error = noServer()

  await expect(call(failWith(error))).rejects.toBe(error)
  expect(await call(async () => 'answered')).toBe('answered')

  expect(done).toEqual(['connect', 'close', 'connect'])
})

test('given calls at the same time that found no server, then it connects anew once', async () => {
  const { call, done } = openClient()

  await Promise.allSettled([call(failWith(noServer())), call(failWith(noServer()))])
  await Promise.all([call(async () => 'answered'), call(async () => 'answered')])

  expect(done).toEqual(['connect', 'close', 'connect'])
})

test('given connections that fail, whyever, then the next call connects anew', async () => {
  const { call, done } = openClient(noServer(), new MongoNetworkError('refused'))

  await expect(call(async () => 'answered')).rejects.toThrow('no server')
  await expect(call(async () => 'answered')).rejects.toThrow('refused')
  expect(await call(async () => 'answered')).toBe('answered')

  expect(done).toEqual(['connect', 'close', 'connect', 'close', 'connect'])
})
