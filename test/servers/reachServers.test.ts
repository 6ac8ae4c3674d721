import { expect, test } from 'vitest'
import { fakeForTest } from '../stores/support/fakeUnderTest.ts'
import { reachServers } from './reachServers.ts'

test.each([
  [{}, 'Set EVENTSTORE_URL, MONGODB_URL or both'],
  [{ MONGODB_URL: 'localhost:27017' }, 'MONGODB_URL must begin with mongodb://'],
  [{ EVENTSTORE_URL: 'localhost:2113' }, 'EVENTSTORE_URL must begin with esdb://'],
])('given %j, when servers are to be tested, then it fails: %s', async (environment, words) => {
  await expect(reachServers(environment)).rejects.toThrow(words)
})

test('given a server that answers, then they are', async () => {
  const { url } = await fakeForTest()

  await expect(reachServers({ EVENTSTORE_URL: url })).resolves.toBeUndefined()
})
