import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startWriterThread, threadKeyStore } from '../../../src/stores/embedded/writerThread.ts'
import type { KeyStore } from '../../../src/stores/keyStore.ts'
import { keyStoreContract } from '../keyStore.contract.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const masterKey = new Uint8Array(32).fill(7)

async function opened(folder = temporaryFolder()): Promise<KeyStore> {
  const store = await keysIn(folder)
  onTestFinished(store.close)
  return store
}

/** In a thread that ends when they are closed. */
async function keysIn(kept: string, key = masterKey): Promise<KeyStore> {
  const owner = startWriterThread()
  try {
    const store = await threadKeyStore(owner, { folder: kept, masterKey: key })
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
