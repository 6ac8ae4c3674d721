import { sharedReadStoreContract } from '../stores/readStore.contract.ts'
import { memoryReadStore } from './memoryReadStore.ts'

sharedReadStoreContract('in memory', async (nowMs) => memoryReadStore(undefined, undefined, nowMs))
