import { eventStoreContract } from '../eventStore.contract.ts'
import { fakeForTest, openOn } from '../support/fakeUnderTest.ts'

eventStoreContract({
  name: 'the store on a fake EventStoreDB',
  open: async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake)
    return {
      store,
      reopen: async () => {
        await store.close()
        fake.stop()
        return openOn(await fakeForTest({ log: fake.log }))
      },
    }
  },
})
