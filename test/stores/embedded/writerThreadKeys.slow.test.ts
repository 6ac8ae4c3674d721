import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openThreadKeyStore, startWriterThread } from '../../../src/stores/embedded/writerThread.ts'
import type { KeyStore } from '../../../src/stores/keyStore.ts'
import { keyStoreContract } from '../keyStore.contract.ts'

const masterKey = new Uint8Array(32).fill(7)

/** In a thread that ends when they are closed. */
async function keysIn(folder: string): Promise<KeyStore> {
  const owner = startWriterThread()
  const store = await openThreadKeyStore(owner, { folder, masterKey })
  return { ...store, close: () => store.close().then(owner.close) }
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
