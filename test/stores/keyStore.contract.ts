/** What every key store promises; each implementation's test file calls this with its own way of opening one. */

import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { KeyStore, SealingKey } from '../../src/stores/keyStore.ts'

export interface KeyStoreUnderTest {
  readonly store: KeyStore
  /** Closes the store and opens it again over what it kept. */
  readonly reopen: () => Promise<KeyStore>
  /** Closes what is open and removes what was kept. */
  readonly dispose: () => Promise<void>
}

export function newKeys(count: number): SealingKey[] {
  return Array.from({ length: count }, () => ({
    id: randomBytes(16).toString('base64url'),
    secret: new Uint8Array(randomBytes(32)),
  }))
}

const byId = (keys: readonly SealingKey[]) =>
  keys.map(({ id, secret }) => `${id} ${Buffer.from(secret).toString('hex')}`).sort()

const idsOf = (keys: readonly SealingKey[]) => keys.map((key) => key.id)

export function keyStoreContract(name: string, open: () => Promise<KeyStoreUnderTest>): void {
  describe(`${name} keeps the promises of a key store`, () => {
    let given: KeyStoreUnderTest
    beforeEach(async () => {
      given = await open()
    })
    afterEach(() => given.dispose())

    test('keys that were added are found, each with its secret', async () => {
      const keys = newKeys(64)

      await given.store.add(keys)

      expect(byId(await given.store.keys(idsOf(keys)))).toEqual(byId(keys))
    })

    test('only the keys asked for are answered, and each once', async () => {
      const [one, two, three] = newKeys(3) as [SealingKey, SealingKey, SealingKey]

      await given.store.add([one, two, three])

      expect(byId(await given.store.keys([two.id, two.id, one.id]))).toEqual(byId([one, two]))
      expect(await given.store.keys([])).toEqual([])
    })

    test('an unknown id is absent from the answer', async () => {
      const [kept, other] = newKeys(2) as [SealingKey, SealingKey]

      await given.store.add([kept])

      expect(idsOf(await given.store.keys([other.id, kept.id, '', 'x\0y']))).toEqual([kept.id])
    })

    test('adding no keys is allowed', async () => {
      await given.store.add([])

      expect(await given.store.keys(['a'])).toEqual([])
    })

    test('keys are there after the store was opened again', async () => {
      const keys = newKeys(200)
      await given.store.add(keys)

      const again = await given.reopen()

      expect(byId(await again.keys(idsOf(keys)))).toEqual(byId(keys))
    })

    test('an id is never given a second secret, and the other keys of the call are not kept either', async () => {
      const [first, other] = newKeys(2) as [SealingKey, SealingKey]
      await given.store.add([first])

      const second = given.store.add([other, { id: first.id, secret: other.secret }])

      await expect(second).rejects.toThrow()
      expect(byId(await given.store.keys([first.id, other.id]))).toEqual(byId([first]))
    })

    test('a destroyed key is gone, also after the store was opened again; the others stay', async () => {
      const keys = newKeys(10)
      const [gone, left] = [keys.slice(0, 4), keys.slice(4)]
      await given.store.add(keys)

      await given.store.destroy(idsOf(gone))

      expect(byId(await given.store.keys(idsOf(keys)))).toEqual(byId(left))
      const again = await given.reopen()
      expect(byId(await again.keys(idsOf(keys)))).toEqual(byId(left))
    })

    test('destroying again, or what never was, changes nothing', async () => {
      const [kept, gone] = newKeys(2) as [SealingKey, SealingKey]
      await given.store.add([kept, gone])

      await given.store.destroy([gone.id, gone.id, 'unknown'])
      await given.store.destroy([gone.id])
      await given.store.destroy([])

      expect(byId(await given.store.keys([kept.id, gone.id]))).toEqual(byId([kept]))
    })

    test('calls at the same time do not disturb each other', async () => {
      const batches = Array.from({ length: 20 }, () => newKeys(10))

      await Promise.all(
        batches.map(async (batch) => {
          await given.store.add(batch)
          await given.store.destroy(idsOf(batch.slice(0, 5)))
        }),
      )

      const found = await given.store.keys(idsOf(batches.flat()))
      expect(byId(found)).toEqual(byId(batches.flatMap((batch) => batch.slice(5))))
    })
  })
}
