import { readStoreContract } from '../stores/readStore.contract.ts'
import { memoryReadStore } from './memoryReadStore.ts'

readStoreContract('in memory', async (nowMs) => memoryReadStore(undefined, undefined, nowMs))
