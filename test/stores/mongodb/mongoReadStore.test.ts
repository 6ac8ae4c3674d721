import type { Db } from 'mongodb'
import { MongoNetworkError } from 'mongodb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openMongoReadStore } from '../../../src/stores/mongodb/mongoReadStore.ts'

const serverMs = Date.UTC(2030, 0, 1)
const sixHoursMs = 6 * 60 * 60 * 1_000

/** A read store on a server that tells this time. */
function openOn(localTime: () => Promise<unknown>) {
  const database = {
    collection: () => ({}),
    command: async () => ({ localTime: await localTime() }),
  }
  const connection = {
    database: database as unknown as Db,
    call: <Answer>(ask: () => Promise<Answer>) => ask(),
    close: async () => undefined,
  }
  return openMongoReadStore({ connection })
}

describe('the time of the read store in MongoDB', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: serverMs + sixHoursMs })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is that of the server, for the holder of a lease too, though its own clock is six hours ahead', async () => {
    const store = openOn(async () => new Date(serverMs))
    const holder = store.withLease({ name: 'projections', owner: 'a', fence: 1 })

    expect([await store.nowMs(), await holder.nowMs()]).toEqual([serverMs, serverMs])
  })

  test('is not made up when the server does not answer', async () => {
    const store = openOn(async () => {
      throw new MongoNetworkError('gone')
    })

    await expect(store.nowMs()).rejects.toMatchObject({ code: 'unavailable' })
  })
})
