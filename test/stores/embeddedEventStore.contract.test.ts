import { eventStoreContract } from './eventStore.contract.ts'
import { openForTest } from './support/embeddedUnderTest.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

for (const thread of ['caller', 'own'] as const) {
  eventStoreContract({
    name: `the embedded store with its writer in the ${thread === 'own' ? 'own' : "caller's"} thread`,
    open: async () => {
      const folder = temporaryFolder()
      const store = await openForTest({ folder, thread })
      return {
        store,
        reopen: async () => {
          await store.close()
          return openForTest({ folder, thread })
        },
      }
    },
  })
}
