import { BSON, MongoNetworkError, MongoServerError } from 'mongodb'
import { expect, test } from 'vitest'
import { LeaseLost } from '../../../src/stores/lease.ts'
import { mapMongoErrors } from '../../../src/stores/mongodb/mongoErrors.ts'

const failing = (error: unknown, withinMs?: number) =>
  mapMongoErrors(
    'read store',
    withinMs,
  )(async () => {
    throw error
  })()

const system = (code: string) =>
  Object.assign(new Error(`write ${code}`), { code, syscall: 'write' })

test.each([
  ['a network error of the driver', new MongoNetworkError('connection 1 closed')],
  ['an error of a socket, as the driver passes it on', system('ECONNRESET')],
  ['a write to a socket that has ended', system('EPIPE')],
  ['a stream that was destroyed', system('ERR_STREAM_DESTROYED')],
  ['a server that is not the primary any more', new MongoServerError({ code: 10_107 })],
  ['a back end that is down behind the server', new MongoServerError({ code: 1 })],
])('given %s, then it is an outage, which time mends', async (_, error) => {
  await expect(failing(error)).rejects.toMatchObject({ code: 'unavailable' })
})

test.each([
  ['a lost lease', new LeaseLost({ name: 'projections', fence: 1 })],
  ['a fault of ours', new TypeError('undefined is not a function')],
])('given %s, then it is thrown as it is', async (_, error) => {
  await expect(failing(error)).rejects.toBe(error)
})

test.each([
  ['a document that the server cannot store', new MongoServerError({ code: 10_334 })],
  [
    'a document that cannot be written at all',
    new BSON.BSONError('key must not contain null bytes'),
  ],
])('given %s, then it is a fault and no outage', async (_, error) => {
  await expect(failing(error)).rejects.toThrow('MongoDB refuses what the read store sends')
})

test('given an answer that never comes, then it is an outage in time', async () => {
  const never = mapMongoErrors('read store', 1)(() => new Promise<void>(() => undefined))

  await expect(never()).rejects.toMatchObject({ code: 'unavailable' })
})
