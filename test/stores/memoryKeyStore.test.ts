import { memoryKeyStore } from '../support/memoryKeyStore.ts'
import { sharedKeyStoreContract } from './keyStore.contract.ts'

// the stand-in that other tests rest on has to keep the same promises
sharedKeyStoreContract('the key store in memory', async () => {
  const store = memoryKeyStore()
  return { store, reopen: async () => store, dispose: store.close }
})
