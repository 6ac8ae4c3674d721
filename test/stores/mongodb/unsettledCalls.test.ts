/** What callers of the stores in MongoDB get when the driver never settles a call. */

import type { Db } from 'mongodb'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { KeyStore } from '../../../src/stores/keyStore.ts'
import { openMongoKeyStore } from '../../../src/stores/mongodb/mongoKeyStore.ts'
import { openMongoReadStore } from '../../../src/stores/mongodb/mongoReadStore.ts'
import type { ReadStore } from '../../../src/stores/readStore.ts'

const call = <Answer>(ask: () => Promise<Answer>) => ask()
const never = () => new Promise<never>(() => undefined)

/** A database whose calls are never settled, but for these. */
function silentDatabase(calls: object = {}): Db {
  const collection = new Proxy(calls, {
    get: (known, name) => (name in known ? Reflect.get(known, name) : never),
  })
  return { collection: () => collection, listCollections: () => ({ toArray: never }) } as never
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const people = { name: 'people', version: 1, indexes: [] }
const checkpoint = {
  ...{ projection: 'people', version: 1, position: 1, ready: true },
  collections: ['people'],
}

test.each<[string, (store: ReadStore) => Promise<unknown>]>([
  ['commit', (store) => store.commit([{ changes: [], checkpoint }])],
  ['prepare', (store) => store.prepare([people])],
  ['drop', (store) => store.drop(checkpoint)],
  ['sweep', (store) => store.sweep(people, 1)],
])(
  'given a call that is never settled, when the read store is asked to %s, then it is an outage within half a minute',
  async (_, ask) => {
    const connection = { database: silentDatabase(), call, close: never }

    const asked = ask(openMongoReadStore({ connection }))

    const answered = expect(asked).rejects.toMatchObject({ code: 'unavailable' })
    await vi.advanceTimersByTimeAsync(30_000)
    await answered
  },
)

test.each<[string, (store: KeyStore) => Promise<unknown>]>([
  ['make', (store) => store.make(1)],
  ['destroy', (store) => store.destroy(['key'], 1)],
  ['discard', (store) => store.discard(['key'])],
])(
  'given a call that is never settled, when the key store is asked to %s keys, then it is an outage within half a minute',
  async (_, ask) => {
    let proof: unknown
    const database = silentDatabase({
      findOne: async () => proof,
      insertOne: async (inserted: unknown) => {
        proof = inserted
      },
      createIndex: async () => 'destroyed',
    })
    const masterKey = new Uint8Array(32)
    const random = { bytes: (count: number) => new Uint8Array(count) }
    const store = await openMongoKeyStore({
      connection: { database, call },
      masterKey,
      clock: { nowMs: () => 1 },
      random,
    })

    const asked = ask(store)

    const answered = expect(asked).rejects.toMatchObject({ code: 'unavailable' })
    await vi.advanceTimersByTimeAsync(30_000)
    await answered
  },
)
