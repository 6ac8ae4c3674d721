import { eventStoreContract } from '../eventStore.contract.ts'
import { fakeForTest, openOn } from '../support/fakeUnderTest.ts'

/** What is promised has nothing to do with how fast this machine is. */
const pace = { attemptMs: 30_000, readMs: 30_000 }

eventStoreContract({
  name: 'the store on a fake EventStoreDB',
  open: async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake, { pace })
    return {
      store,
      reopen: async () => {
        await store.close()
        fake.stop()
        return openOn(await fakeForTest({ log: fake.log }), { pace })
      },
    }
  },
})
