/** Whoever closes while indexes are made does not wait for all of them. */

import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { SharedProjections } from '../../src/projections/running/projections.ts'
import { askForRetry } from '../../src/projections/running/retryParked.ts'
import { shareProjections } from '../../src/projections/running/shareProjections.ts'
import type { ReadStore } from '../../src/stores/readStore.ts'
import { eventually } from '../support/eventually.ts'
import { nothingMoreComes } from '../support/nothingMoreComes.ts'
import { decodeLetters, letters } from './lettersProjection.ts'
import { memoryLog } from './memoryEventStore.ts'
import { type MemoryDisk, memoryDisk, memoryReadStore } from './memoryReadStore.ts'

function openScene() {
  const [log, disk] = [memoryLog(), memoryDisk()]
  for (let at = 0; at < 40; at += 1) log.add('s', 'LetterAdded', { ids: ['w'], letter: 'x' })
  const scene = { making: async (): Promise<void> => undefined }
  const store = memoryReadStore(disk)
  const readStore: ReadStore = {
    ...store,
    under: (lease) => {
      const held = store.under(lease)
      return {
        ...held,
        completeIndexes: async (collections, signal) => {
          await scene.making()
          return held.completeIndexes(collections, signal)
        },
      }
    },
  }
  const alarms: string[] = []
  const start = (): SharedProjections => {
    const projections = shareProjections({
      eventStore: log,
      readStore,
      projections: [letters()],
      decode: decodeLetters,
      onOtherLog: 'refuse',
      owner: 'a',
      nowMs: () => 1_000_000,
      newId: randomUUID,
      onAlarm: ({ message }) => alarms.push(message),
      pace: { backoffMs: 1, backoffMaxMs: 2, restMs: 1, pageMax: 5 },
    })
    onTestFinished(() => projections.close())
    return projections
  }
  /** Starts, and closes in the middle of making indexes, when `before` has happened. */
  const closeWhileMaking = async (before = async (): Promise<void> => undefined): Promise<void> => {
    let closing: Promise<void> | undefined
    const projections = start()
    scene.making = async () => {
      await before()
      closing ??= projections.close()
      await nothingMoreComes(10)
    }
    await eventually(() => closing !== undefined)
    await closing
    scene.making = async () => undefined
  }
  return { store, disk, alarms, start, closeWhileMaking }
}

const isReady = (disk: MemoryDisk) => disk.checkpoints.get('letters@1')?.ready === true

test('the others are left to the next start', async () => {
  const { disk, alarms, start, closeWhileMaking } = openScene()

  await closeWhileMaking()

  expect([disk.indexed.has('letters@1'), isReady(disk)]).toEqual([false, false])
  start()
  await eventually(() => isReady(disk))
  expect(disk.indexed.has('letters@1')).toBe(true)
  expect(alarms).toEqual([])
})

test('so they are when somebody waits behind them to have parked events applied again', async () => {
  const { store, disk, alarms, start, closeWhileMaking } = openScene()
  let asked: Promise<unknown> | undefined

  await closeWhileMaking(async () => {
    await eventually(() => disk.checkpoints.has('retry_requests@1'))
    asked = askForRetry({ readStore: store, newId: randomUUID }, 'letters')
    // it is looked for ten times a second
    await nothingMoreComes(250)
  })

  expect([disk.indexed.has('letters@1'), isReady(disk)]).toEqual([false, false])
  start()
  await eventually(() => isReady(disk))
  expect(await asked).toMatchObject({ applied: 0 })
  expect(alarms).toEqual([])
})

test('so they are at the start of what was ready without them', async () => {
  const { disk, alarms, start, closeWhileMaking } = openScene()
  const first = start()
  await eventually(() => isReady(disk))
  await first.close()
  disk.indexed.clear()

  await closeWhileMaking()

  expect(disk.indexed.has('letters@1')).toBe(false)
  const last = start()
  await eventually(() => last.progress()[0]?.status === 'live')
  expect(disk.indexed.has('letters@1')).toBe(true)
  expect(alarms).toEqual([])
})
