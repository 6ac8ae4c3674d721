/** What every key store promises, asked of the MongoDB in MONGODB_URL. */

import { randomBytes } from 'node:crypto'
import { describe } from 'vitest'
import { openMongoKeyStore } from '../../src/stores/mongodb/mongoKeyStore.ts'
import { sharedKeyStoreContract } from '../stores/keyStore.contract.ts'
import { mongoUrl, newDatabase } from './newDatabase.ts'

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  sharedKeyStoreContract('the key store in MongoDB', async () => {
    const { connect } = newDatabase()
    const masterKey = randomBytes(32)
    const open = () =>
      openMongoKeyStore({
        connection: connect(),
        masterKey,
        clock: { nowMs: Date.now },
        random: { bytes: randomBytes },
      })
    let store = await open()
    return {
      store,
      reopen: async () => {
        await store.close()
        store = await open()
        return store
      },
      dispose: () => store.close(),
    }
  })
})
