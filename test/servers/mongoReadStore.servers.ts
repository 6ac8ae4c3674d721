/**
 * What every read store promises, asked of the MongoDB in MONGODB_URL. It makes a database for each test and drops it.
 */

import { describe } from 'vitest'
import { openMongoReadStore } from '../../src/stores/mongodb/mongoReadStore.ts'
import { sharedReadStoreContract } from '../stores/readStore.contract.ts'
import { mongoUrl, newDatabase } from './newDatabase.ts'

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  sharedReadStoreContract('MongoDB', async (nowMs) => {
    const { connect } = newDatabase()
    return openMongoReadStore({ connection: connect(), nowMs })
  })
})
