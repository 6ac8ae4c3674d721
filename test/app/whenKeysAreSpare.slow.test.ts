import { expect, test, vi } from 'vitest'
import {
  waitForSealingKeys,
  waitForSpareKeys,
} from '../../src/commands/handling/waitForSealingKeys.ts'
import { openKeyPool } from '../../src/stores/keys/keyPool.ts'
import { eventually } from '../support/eventually.ts'
import { memoryKeyStore } from '../support/memoryKeyStore.ts'

test('a batch leaves the last quarter of the keys to others, and goes on when more are made', async () => {
  let made = 0
  let release = (): void => undefined
  const store = memoryKeyStore()
  const pool = await openKeyPool({
    store: {
      ...store,
      make: async (count) => {
        made += 1
        if (made === 2) {
          await new Promise<void>((resolve) => {
            release = resolve
          })
        }
        return store.make(count)
      },
    },
    poolSize: 16,
    firstFill: 16,
  })

  let taken = 0
  const takeAll = (async () => {
    for (; taken < 16; taken += 1) {
      await waitForSpareKeys(pool)
      pool.take()
    }
  })()
  await eventually(() => !pool.hasSpare())

  expect([taken, pool.keysReady()]).toEqual([12, 4])
  release()
  await takeAll
  await pool.close()
})

test('where no keys are made it is refused in time, with when to come again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const refused = waitForSpareKeys({ hasSpare: () => false }).catch((error: unknown) => error)
  vi.useRealTimers()

  expect(await refused).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
}, 30_000)

test('more evaluations at once than there are keys wait until theirs are made', async () => {
  const pool = await openKeyPool({ store: memoryKeyStore(), poolSize: 64, firstFill: 64 })
  const keyring = { keysReady: pool.keysReady, storesKeys: pool.storesKeys }

  const evaluated = Array.from({ length: 256 }, async () => {
    const waiting = waitForSealingKeys(keyring)
    if (waiting) await waiting
    return [pool.take(), pool.take()]
  })

  expect(new Set((await Promise.all(evaluated)).flat()).size).toBe(512)
  await pool.close()
})

test('an evaluation waits for no keys that nobody makes', () => {
  expect(waitForSealingKeys({ keysReady: () => 0, storesKeys: () => false })).toBeUndefined()
})
