/** Every counter of many evaluations against plain counting of the events, on MongoDB and a fake EventStoreDB. */

import { describe, expect, test } from 'vitest'
import { openMongoReadStore } from '../../src/stores/mongodb/mongoReadStore.ts'
import { seededChance } from '../faults/seededChance.ts'
import { fakeForTest, openOn } from '../stores/support/fakeUnderTest.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { cutAtRandom, evaluationsOfRun, runOnTwo } from '../support/runCountedShop.ts'
import { mongoUrl, newDatabase } from './newDatabase.ts'

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  test('given two instances that take the projections from each other, in the middle of a batch, too, when many evaluate at once, then each counter is as the log has it', {
    timeout: 3_600_000,
  }, async () => {
    const clock = { nowMs: Date.UTC(2026, 9, 1) }
    const { connect } = newDatabase()
    const two = await openTwoInstances({
      nowMs: () => clock.nowMs,
      laterMs: 120_000,
      projected: (events) => cutAtRandom(events, seededChance(5)),
      stores: async (_, nowMs) => ({
        events: await openOn(await fakeForTest()),
        readStore: openMongoReadStore({ connection: connect(), nowMs }),
      }),
    })
    const evaluations = evaluationsOfRun(250)
    const compared = await runOnTwo(two, { clock, seed: 13, evaluations })

    expect(compared.differences).toEqual([])
    expect(compared.same).toBeGreaterThan(4 * evaluations)
  })
})
