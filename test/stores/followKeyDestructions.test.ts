import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { followKeyDestructions } from '../../src/stores/keys/followKeyDestructions.ts'
import { openKeyring } from '../../src/stores/keys/keyring.ts'
import { eventually } from '../support/eventually.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'

const use = { area: 'evaluation', timeMs: 0 }

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
const masterKey = new Uint8Array(32).fill(7)
const nowMs = 1_700_000_000_000

/** The keyrings of two instances over one key store. */
async function openTwo() {
  const store = memoryKeyStore()
  const faults: unknown[] = []
  const open = () => openKeyring({ store, masterKey, random, poolSize: 8, firstFill: 8 })
  const [a, b] = [await open(), await open()]
  const forgotten: (readonly string[])[] = []
  const following = followKeyDestructions({
    store,
    keyring: {
      forget: (ids) => {
        forgotten.push(ids)
        b.forget(ids)
      },
    },
    clock: { nowMs: () => nowMs },
    onFault: (error) => faults.push(error),
  })
  onTestFinished(following.close)
  return { store, a, b, faults, forgotten }
}

test('a key that one instance destroys is neither opened nor given out again by the other', async () => {
  const { a, b, forgotten } = await openTwo()
  const key = b.assign('person', use)
  const other = b.assign('somebody else', use)
  expect((await a.keys([key.id])).get(key.id)).toEqual(key.secret)

  // the clock of the one that destroys is a minute behind
  await a.destroy([key.id], nowMs - 60_000)
  await eventually(() => forgotten.length > 0)

  expect(await b.keys([key.id])).toEqual(new Map([[key.id, 'destroyed']]))
  expect(b.assign('person', use).id).not.toBe(key.id)
  expect(b.assign('somebody else', use)).toMatchObject(other)
})

test('an outage of the store is told once, and what was destroyed in it is forgotten after', async () => {
  const { a, b, store, faults, forgotten } = await openTwo()
  const key = b.assign('person', use)
  let failures = 0
  store.before = (call) => {
    if (call !== 'destroyedSince') return
    failures += 1
    throw new Error('the key store is away')
  }
  await a.destroy([key.id], nowMs)
  await eventually(() => failures >= 2)
  expect(faults).toMatchObject([{ message: 'the key store is away' }])

  store.before = undefined
  await eventually(() => forgotten.length > 0)

  expect(await b.keys([key.id])).toEqual(new Map([[key.id, 'destroyed']]))
})
