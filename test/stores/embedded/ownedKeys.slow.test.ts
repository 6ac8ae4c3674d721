import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ownedKeys, startOwner } from '../../../src/stores/embedded/owner.ts'
import * as sqlite from '../../../src/stores/embedded/sqlite.ts'
import type { KeyStore } from '../../../src/stores/keyStore.ts'
import { openKeyring } from '../../../src/stores/keys/keyring.ts'
import { eventually } from '../../support/eventually.ts'
import { keyStoreContract } from '../keyStore.contract.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const use = { area: 'evaluation', timeMs: 0 }

vi.mock(import('../../../src/stores/embedded/sqlite.ts'), async (original) => {
  const actual = await original()
  return { ...actual, openDatabase: vi.fn(actual.openDatabase) }
})

const masterKey = new Uint8Array(32).fill(7)

async function opened(folder = temporaryFolder()): Promise<KeyStore> {
  const store = await keysIn(folder)
  onTestFinished(store.close)
  return store
}

/** In a thread that ends when they are closed. */
async function keysIn(kept: string, key = masterKey): Promise<KeyStore> {
  const owner = startOwner()
  try {
    const store = await ownedKeys(owner, { folder: kept, masterKey: key })
    return { ...store, close: () => store.close().then(owner.close) }
  } catch (error) {
    await owner.close()
    throw error
  }
}

keyStoreContract('the key store in its thread', async () => {
  const kept = mkdtempSync(join(tmpdir(), 'vigil-keys-'))
  let store = await keysIn(kept)
  return {
    store,
    reopen: async () => {
      await store.close()
      store = await keysIn(kept)
      return store
    },
    dispose: async () => {
      await store.close()
      rmSync(kept, { recursive: true })
    },
  }
})

test('given many new subjects, when their keys are made and destroyed, then nothing of it is written by this thread', async () => {
  const store = await opened()
  const chance = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
  const keyring = await openKeyring({ store, masterKey, chance, poolSize: 512, firstFill: 64 })
  await eventually(() => keyring.keysReady() === 512)
  const keys = Array.from({ length: 300 }, (_, number) => keyring.assign(`subject ${number}`, use))
  await keyring.destroy([keys[1]?.id ?? ''], 1)
  await keyring.close()

  expect(sqlite.openDatabase).not.toHaveBeenCalled()
})

test('what is asked together is answered each with its own', async () => {
  const store = await opened()

  const batches = await Promise.all([1, 20, 100].map((count) => store.make(count)))
  const all = await Promise.all(batches.map((keys) => store.keys(keys.map(({ id }) => id))))

  expect(all).toEqual(batches.map((keys) => new Map(keys.map(({ id, secret }) => [id, secret]))))
})

test('a folder of another master key is refused by the name of its file', async () => {
  const folder = temporaryFolder()
  await opened(folder)

  await expect(keysIn(folder, new Uint8Array(32))).rejects.toThrow(
    /^Cannot use .*keys\.db: its keys were made under another master key/,
  )
})
