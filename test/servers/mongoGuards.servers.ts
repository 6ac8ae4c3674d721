/** What MongoDB alone has to be asked for: nothing there is a transaction, and clocks and instances are many. */

import { describe, expect, onTestFinished, test } from 'vitest'
import { connectMongoDb } from '../../src/stores/mongodb/mongoConnection.ts'
import { openMongoReadStore } from '../../src/stores/mongodb/mongoReadStore.ts'
import type { Change, Checkpoint, Collection, SharedReadStore } from '../../src/stores/readStore.ts'
import { commitTo } from '../projections/memoryReadStore.ts'
import { eventually } from '../support/eventually.ts'
import { mongoUrl, newDatabase } from './newDatabase.ts'

const rules: Collection = { name: 'rules', version: 1, indexes: [['account']] }
const at = (position: number): Checkpoint => ({
  projection: 'rules',
  version: 1,
  position,
  ready: false,
  collections: ['rules'],
})
const put = (id: string, position: number): Change => ({
  collection: rules,
  id,
  position,
  body: { account: 'a', text: `${id} at ${position}` },
})

function storesOn(url: string, count: number): readonly SharedReadStore[] {
  return Array.from({ length: count }, () => {
    const store = openMongoReadStore({ connection: connectMongoDb({ url }) })
    onTestFinished(() => store.close())
    return store
  })
}

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  test('given eight instances that write the same documents at once, when all are done, then each is at its last position', async () => {
    const { url } = newDatabase()
    const stores = storesOn(url, 8)
    await stores[0]?.prepare([rules])
    const ids = Array.from({ length: 50 }, (_, index) => `r${index}`)

    await Promise.all(
      stores.map((store, index) =>
        commitTo(
          store,
          ids.map((id) => put(id, index + 1)),
          at(index + 1),
        ),
      ),
    )

    const found = (await stores[0]?.load(rules, ids)) ?? []
    expect(found.map(({ position }) => position)).toEqual(ids.map(() => 8))
    expect(await stores[1]?.checkpoints()).toEqual([at(8)])
  })

  test('given eight instances that ask for a lease at once, then one has it', async () => {
    const { url } = newDatabase()
    const stores = storesOn(url, 8)

    const given = await Promise.all(
      stores.map((store, index) =>
        store.leases.acquire({ name: 'projections', owner: `i${index}`, forMs: 60_000 }),
      ),
    )

    expect(given.filter((lease) => lease !== undefined)).toHaveLength(1)
  })

  test('given a collection that was dropped and built again, when an older drop of it arrives late, then what was built stays', async () => {
    const { url, connect } = newDatabase()
    const [store] = storesOn(url, 1) as [SharedReadStore]
    await store.prepare([rules])
    await commitTo(store, [put('r1', 1)], at(1))
    await store.drop(at(1))
    await store.prepare([rules])
    await commitTo(store, [put('r1', 1)], at(1))
    const { database, close } = connect()

    // a server may say that there is none
    await database
      .collection('rules_v1')
      .drop()
      .catch(() => undefined)
    await close()

    expect(await store.get(rules, 'r1')).toMatchObject({ position: 1 })
  })

  test('given documents that somebody late has written into a dropped collection, when collections are prepared, then they are gone', async () => {
    const { url, connect } = newDatabase()
    const [store] = storesOn(url, 1) as [SharedReadStore]
    await store.prepare([rules])
    await store.drop(at(1))
    const { database, close } = connect()
    await database.collection('rules_v1').insertOne({ account: 'late' })
    await database.collection('somebody_elses').insertOne({ kept: true })

    await store.prepare([rules])

    const names = (await database.listCollections().toArray()).map(({ name }) => name)
    await close()
    expect(names).toContain('rules_v1_r2')
    expect(names).toContain('somebody_elses')
    expect(names).not.toContain('rules_v1')
  })

  test('given the database was dropped under the holder of the lease, when it writes, then the lease is lost and nothing is written', async () => {
    const { url, connect } = newDatabase()
    const [store] = storesOn(url, 1) as [SharedReadStore]
    const lease = await store.leases.acquire({ name: 'projections', owner: 'a', forMs: 60_000 })
    if (!lease) throw new Error('nobody else asks')
    const holder = store.withLease(lease)
    await holder.prepare([rules])
    const { database, close } = connect()
    await database.dropDatabase()

    await expect(commitTo(holder, [put('r1', 1)], at(1))).rejects.toMatchObject({
      name: 'LeaseLost',
    })

    await close()
    expect(await store.leases.renew(lease, 60_000)).toBe(false)
  })

  test('given read models of which read_models was dropped, when they are prepared again, then no document of before is left, and what is written is read', async () => {
    const { url, connect } = newDatabase()
    const [store, reader] = storesOn(url, 2) as [SharedReadStore, SharedReadStore]
    await store.prepare([rules])
    await commitTo(store, [put('r1', 9), put('nothing is behind it', 9)], at(9))
    const { database } = connect()
    await database.collection('read_models').drop()

    expect(await reader.checkpoints()).toEqual([])
    await store.prepare([rules])
    await commitTo(store, [put('r1', 1)], at(1))

    expect(await reader.find(rules, { where: {}, limit: 10 })).toMatchObject([
      { id: 'r1', position: 1 },
    ])
    expect(await reader.checkpoints()).toEqual([at(1)])
    const names = (await database.listCollections().toArray()).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('rules_'))).toEqual(['rules_v1_r2'])
  })

  test.each(['dropped', 'emptied'])(
    'given a collection that somebody has %s, then its projection is as if it had never been built, for every instance, and the holder of the lease begins anew',
    async (done) => {
      const { url, connect } = newDatabase()
      const [store, reader] = storesOn(url, 2) as [SharedReadStore, SharedReadStore]
      const lease = await store.leases.acquire({ name: 'projections', owner: 'a', forMs: 60_000 })
      if (!lease) throw new Error('nobody else asks')
      const holder = store.withLease(lease)
      const others: Collection = { name: 'others', version: 1, indexes: [] }
      const kept = { ...at(9), projection: 'others', collections: ['others'] }
      await holder.prepare([rules, others])
      await commitTo(holder, [put('r1', 9)], at(9))
      await commitTo(holder, [], kept)
      const documents = connect().database.collection('rules_v1')
      if (done === 'dropped') await documents.drop()
      else await documents.deleteMany({})

      await eventually(async () => (await reader.checkpoints()).length === 1)
      await eventually(() =>
        commitTo(holder, [put('r1', 10)], at(10)).then(
          () => false,
          (error) => error.name === 'LeaseLost',
        ),
      )
      await holder.prepare([rules, others])
      await commitTo(holder, [put('r1', 1)], at(1))

      expect(await reader.checkpoints()).toEqual([kept, at(1)])
      expect(await reader.get(rules, 'r1')).toMatchObject({ position: 1 })
    },
  )

  test('given the database was dropped under two that follow each other, when the one of before wakes, then the lease is not its own', async () => {
    const { url, connect } = newDatabase()
    const [before, after] = storesOn(url, 2) as [SharedReadStore, SharedReadStore]
    const ask = (store: SharedReadStore, owner: string) =>
      store.leases.acquire({ name: 'projections', owner, forMs: 60_000 })
    const old = await ask(before, 'a')
    await connect().database.dropDatabase()
    const lease = await ask(after, 'b')
    if (!old || !lease) throw new Error('nobody else asks')
    await after.withLease(lease).prepare([rules])

    expect(await before.leases.renew(old, 60_000)).toBe(false)
    await expect(commitTo(before.withLease(old), [put('r1', 1)], at(1))).rejects.toMatchObject({
      name: 'LeaseLost',
    })
  })

  test('given a document of more than 16 MB, when it is written, then it is a fault and no outage', async () => {
    const { url } = newDatabase()
    const [store] = storesOn(url, 1) as [SharedReadStore]
    await store.prepare([rules])
    const change = { ...put('r1', 1), body: { account: 'a', text: 'x'.repeat(17 * 1_048_576) } }

    await expect(commitTo(store, [change], at(1))).rejects.not.toMatchObject({
      code: 'unavailable',
    })
    expect(await store.checkpoints()).toEqual([])
  })
})
