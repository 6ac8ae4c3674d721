/** Every counter of many evaluations against plain counting of the events, on MongoDB and a fake EventStoreDB. */

import { describe, expect, test } from 'vitest'
import { addCounted, toUnits } from '../../src/projections/evaluation/counterGrains.ts'
import { counterCollection } from '../../src/projections/evaluation/counters.ts'
import { openMongoReadStore } from '../../src/stores/mongodb/mongoReadStore.ts'
import { seededChance } from '../faults/seededChance.ts'
import { commitTo } from '../projections/memoryReadStore.ts'
import { fakeForTest, openOn } from '../stores/support/fakeUnderTest.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { cutAtRandom, evaluationsOfRun, runOnTwo } from '../support/runCountedShop.ts'
import { mongoUrl, newDatabase } from './newDatabase.ts'

const nowMs = Date.UTC(2026, 9, 1)

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  test('given a counter that another instance has counted on, when what was folded before is written late, then it stays as it is', async () => {
    const { connect } = newDatabase()
    const open = () => openMongoReadStore({ connection: connect() })
    const [late, other] = [open(), open()]
    const { name, indexes } = counterCollection
    const collection = { name, version: 1, indexes }
    await other.prepare([collection])
    const event = { recordedMs: nowMs, entries: [[toUnits(nowMs), 1]] } as const
    const first = addCounted(undefined, event)
    const second = addCounted(first, event)
    const commit = (store: typeof late, body: object, position: number) =>
      commitTo(store, [{ collection, id: 'series/key', position, body: { ...body } }], {
        projection: name,
        version: 1,
        position,
        ready: true,
        collections: [name],
      })

    await commit(other, second, 2)
    await commit(late, first, 1)
    await commit(late, first, 2)

    const found = await other.load(collection, ['series/key'])
    expect(found).toEqual([{ id: 'series/key', position: 2, body: second }])
  })

  test('given two instances that take the projections from each other, in the middle of a batch, too, when many evaluate at once, then each counter is as the log has it', {
    timeout: 3_600_000,
  }, async () => {
    const clock = { nowMs }
    const { connect } = newDatabase()
    const two = await openTwoInstances({
      nowMs: () => clock.nowMs,
      laterMs: 120_000,
      projected: (events) => cutAtRandom(events, seededChance(5)),
      stores: async (_, leaseMs) => ({
        events: await openOn(await fakeForTest()),
        readStore: openMongoReadStore({ connection: connect(), nowMs: leaseMs }),
      }),
    })
    const evaluations = evaluationsOfRun(250)
    const compared = await runOnTwo(two, { clock, seed: 13, evaluations })

    expect(compared.differences).toEqual([])
    expect(compared.same).toBeGreaterThan(0)
  })
})
