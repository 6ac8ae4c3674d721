import { memoryEventStore } from '../support/memoryEventStore.ts'
import { eventStoreContract } from './eventStore.contract.ts'

// the stand-in that other tests rest on has to keep the same promises
eventStoreContract({
  name: 'the event store in memory',
  open: async () => {
    const store = memoryEventStore()
    return {
      store,
      reopen: async () => {
        await store.close()
        return memoryEventStore(store.log)
      },
    }
  },
})
