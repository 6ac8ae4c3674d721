import {
  type BulkWriteResult,
  type Collection,
  MongoBulkWriteError,
  type WriteError,
} from 'mongodb'
import { expect, test, vi } from 'vitest'
import { type MongoDocument, writeDocuments } from '../../../src/stores/mongodb/writeDocuments.ts'

/** A collection that refuses the only write of each bulk with this code. */
function refusing(code: number) {
  const refusal = { code, errmsg: 'no', index: 0 } as WriteError
  const result = { getWriteConcernError: () => undefined } as unknown as BulkWriteResult
  const error = new MongoBulkWriteError({ message: 'no', code, writeErrors: [refusal] }, result)
  const bulkWrite = vi.fn(() => Promise.reject(error))
  const find = () => ({ toArray: async () => [] })
  return { bulkWrite, documents: { bulkWrite, find } as unknown as Collection<MongoDocument> }
}

const collection = { name: 'things', version: 1, indexes: [] }
const changes = [{ collection, id: 'a', position: 1, body: { name: 'A' } }]

test('given a document that can never be stored, when written, then the try ends at once and says so', async () => {
  const { bulkWrite, documents } = refusing(10_334)

  const written = writeDocuments(documents, changes)

  await expect(written).rejects.toThrow(
    'MongoDB refuses what the read store sends: no (code 10334)',
  )
  expect(bulkWrite).toHaveBeenCalledTimes(1)
})

test('given a write that is refused for no lasting reason, when written, then it is tried again, and is an outage in the end', async () => {
  const { bulkWrite, documents } = refusing(112)

  const written = writeDocuments(documents, changes)

  await expect(written).rejects.toMatchObject({ code: 'unavailable' })
  expect(bulkWrite.mock.calls.length).toBeGreaterThan(1)
})
