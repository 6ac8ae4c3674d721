/**
 * What every event store promises, asked of the EventStoreDB in EVENTSTORE_URL. It leaves streams behind that begin
 * with `test`.
 */

import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { EventStore } from '../../src/stores/eventStore.ts'
import { openEventStoreDb } from '../../src/stores/eventstoredb/openEventStoreDb.ts'
import { eventStoreContract } from '../stores/eventStore.contract.ts'
import { newAppend } from '../stores/support/newEvents.ts'
import { type Scope, scopedEventStore } from './scopedEventStore.ts'

const url = process.env['EVENTSTORE_URL'] ?? ''

async function connect(): Promise<EventStore> {
  const store = await openEventStoreDb({ url })
  onTestFinished(() => store.close())
  return store
}

async function newScope(): Promise<Scope> {
  const store = await connect()
  return { prefix: `test${randomUUID()}-`, base: await store.head() }
}

describe.skipIf(url === '')('EVENTSTORE_URL', () => {
  eventStoreContract({
    name: 'the store on EventStoreDB',
    open: async () => {
      const scope = await newScope()
      const store = scopedEventStore(await connect(), scope)
      return {
        store,
        reopen: async () => {
          await store.close()
          return scopedEventStore(await connect(), scope)
        },
      }
    },
  })

  test('given the same append from two instances at once, when both have their answer, then it is one, and it is there once', async () => {
    const scope = await newScope()
    const one = scopedEventStore(await connect(), scope)
    const other = scopedEventStore(await connect(), scope)

    for (let revision = 0; revision < 10; revision += 1) {
      const append = newAppend('a-1', revision === 0 ? 'no_stream' : revision - 1, `${revision}`)
      const [first, second] = await Promise.all([one.append(append), other.append(append)])
      expect(second).toEqual(first)
    }

    expect(await one.readStream('a-1', { from: 0, limit: 100 })).toHaveLength(10)
  })

  test('given many appends at once, when they are made, then all are there, each once, in the order of their positions', async () => {
    const scope = await newScope()
    const store = scopedEventStore(await connect(), scope)
    const seeds = Array.from({ length: 2_000 }, (_, index) => `${index}`)

    const answers = await Promise.all(
      seeds.map((seed) => store.append(newAppend(`a-${seed}`, 'no_stream', seed))),
    )

    expect(answers.every(({ ok }) => ok)).toBe(true)
    const events = await store.readAll({ after: 0, limit: 10_000 })
    expect(new Set(events.map(({ stream }) => stream)).size).toBe(seeds.length)
    const positions = events.map(({ position }) => position)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  })
})
