/** What every key store promises; each implementation's test file calls this with its own way of opening one. */

import { sign } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { deriveSigningKey } from '../../src/auth/signingKey.ts'
import type { KeyState } from '../../src/events/recording/sealing.ts'
import type { KeyStore, SealingKey, SharedKeyStore } from '../../src/stores/keyStore.ts'

export interface KeyStoreUnderTest<Store = KeyStore> {
  readonly store: Store
  /** Closes the store and opens it again over what it kept. */
  readonly reopen: () => Promise<Store>
  /** Closes what is open and removes what was kept. */
  readonly dispose: () => Promise<void>
}

/** What the store is to answer of these keys. */
const found = (...keys: readonly SealingKey[]): ReadonlyMap<string, KeyState> =>
  new Map(keys.map(({ id, secret }) => [id, secret]))

const gone = (keys: readonly SealingKey[]): ReadonlyMap<string, KeyState> =>
  new Map(keys.map(({ id }) => [id, 'destroyed']))

const at = 1_700_000_000_000

const idsOf = (keys: readonly SealingKey[]) => keys.map((key) => key.id)

export function keyStoreContract(name: string, open: () => Promise<KeyStoreUnderTest>): void {
  describe(`${name} keeps the promises of a key store`, () => {
    let given: KeyStoreUnderTest
    beforeEach(async () => {
      given = await open()
    })
    afterEach(() => given.dispose())

    test('keys that it made are there, each with an id and a secret of its own, also once it was opened again', async () => {
      const made = [...(await given.store.make(40)), ...(await given.store.make(1))]
      const reopened = await given.reopen()

      expect(new Set(idsOf(made)).size).toBe(41)
      expect(new Set(made.map(({ secret }) => Buffer.from(secret).toString('hex'))).size).toBe(41)
      expect(
        made.every(({ id, secret }) => /^[0-9a-z]{26}$/.test(id) && secret.length === 32),
      ).toBe(true)
      // whoever holds one holds nothing of the others
      expect(made.every(({ secret }) => secret.buffer.byteLength === 32)).toBe(true)
      expect(await reopened.keys(idsOf(made))).toEqual(found(...made))
    })

    test('only the keys asked for are answered, and each once', async () => {
      const [one, two] = (await given.store.make(3)) as [SealingKey, SealingKey]

      expect(await given.store.keys([two.id, two.id, one.id])).toEqual(found(two, one))
      expect(await given.store.keys([])).toEqual(new Map())
    })

    test('an unknown id is absent from the answer', async () => {
      const [kept] = (await given.store.make(1)) as [SealingKey]

      expect(await given.store.keys(['unknown', kept.id, '', 'x\0y'])).toEqual(found(kept))
    })

    test('a secret signs as before after the store was opened again, and never once it is destroyed', async () => {
      const [key] = (await given.store.make(1)) as [SealingKey]
      const text = Buffer.from('a token')
      const signature = sign(null, text, deriveSigningKey(key.secret))

      const again = await given.reopen()
      const kept = (await again.keys([key.id])).get(key.id)
      await again.destroy([key.id], at)

      expect(kept).toBeInstanceOf(Uint8Array)
      expect(sign(null, text, deriveSigningKey(kept as Uint8Array))).toEqual(signature)
      expect(await again.keys([key.id])).toEqual(gone([key]))
    })

    test('a destroyed key is known as destroyed, also after the store was opened again; the others stay', async () => {
      const keys = await given.store.make(10)
      const [dead, left] = [keys.slice(0, 4), keys.slice(4)]
      const expected = new Map([...gone(dead), ...found(...left)])

      await given.store.destroy(idsOf(dead), at)

      expect(await given.store.keys(idsOf(keys))).toEqual(expected)
      const again = await given.reopen()
      expect(await again.keys(idsOf(keys))).toEqual(expected)
    })

    test('destroying again changes nothing, and what never was is destroyed from then on', async () => {
      const [kept, dead] = (await given.store.make(2)) as [SealingKey, SealingKey]
      const never = { ...dead, id: 'never' }

      await given.store.destroy([dead.id, dead.id, never.id], at)
      await given.store.destroy([dead.id], at + 1)
      await given.store.destroy([], at)

      const all = [kept.id, dead.id, never.id]
      expect(await given.store.keys(all)).toEqual(new Map([...found(kept), ...gone([dead, never])]))
    })

    test('discarded keys leave no record', async () => {
      const keys = await given.store.make(10)
      const [unused, left] = [keys.slice(0, 4), keys.slice(4)]

      await given.store.discard([...idsOf(unused), 'unknown'])

      expect(await given.store.keys(idsOf(keys))).toEqual(found(...left))
      expect(await (await given.reopen()).keys(idsOf(keys))).toEqual(found(...left))
    })

    test('calls at the same time do not disturb each other', async () => {
      const batches = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const batch = await given.store.make(10)
          await given.store.destroy(idsOf(batch.slice(0, 5)), at)
          return batch
        }),
      )

      const expected = batches.flatMap((batch) => [
        ...gone(batch.slice(0, 5)),
        ...found(...batch.slice(5)),
      ])
      expect(await given.store.keys(idsOf(batches.flat()))).toEqual(new Map(expected))
    })
  })
}

/** What every key store promises that several instances share. */
export function sharedKeyStoreContract(
  name: string,
  open: () => Promise<KeyStoreUnderTest<SharedKeyStore>>,
): void {
  keyStoreContract(name, open)
  test('what was destroyed from a time on is told, also after the store was opened again', async () => {
    const given = await open()
    onTestFinished(given.dispose)
    const keys = await given.store.make(6)
    const [early, late, discarded] = [keys.slice(0, 2), keys.slice(2, 4), keys.slice(4)]
    await given.store.destroy(idsOf(early), at)
    await given.store.destroy(idsOf(late), at + 1_000)
    await given.store.discard(idsOf(discarded))

    const since = async (store: SharedKeyStore, atMs: number) =>
      [...(await store.destroyedSince(atMs))].sort()

    expect(await since(given.store, at + 1)).toEqual(idsOf(late).sort())
    expect(await since(given.store, at + 1_001)).toEqual([])
    const all = idsOf([...early, ...late]).sort()
    expect(await since(await given.reopen(), at)).toEqual(all)
  })
}
