import { describe, expect, onTestFinished, test } from 'vitest'
import type { EventStore } from '../../../src/stores/eventStore.ts'
import type { SubscriptionFault } from '../../support/eventStoreDb/fakeFaults.ts'
import type { FakeEventStoreDb } from '../../support/eventStoreDb/fakeServer.ts'
import { eventually } from '../../support/eventually.ts'
import { startTcpProxy } from '../../support/tcpProxy.ts'
import { fakeForTest, openOn } from '../support/fakeUnderTest.ts'
import { followed } from '../support/followed.ts'
import { newAppend, newEvent } from '../support/newEvents.ts'

const pace = { backoffMs: 5, backoffMaxMs: 20 }
const seeds = [...'abcdefghij']
const ids = seeds.map((seed) => newEvent(seed).id)

async function appendAll(store: EventStore): Promise<void> {
  for (const seed of seeds) await store.append(newAppend(`a-${seed}`, 'no_stream', seed))
}

async function followedIds(store: EventStore, after = 0, count = seeds.length) {
  return (await followed(store, after, count)).map(({ id }) => id)
}

describe('following EventStoreDB', () => {
  test.each<[string, SubscriptionFault, Partial<typeof pace> & object]>([
    ['ends every call after an event, without an error', { endsAfter: 1 }, pace],
    ['delivers once more what was delivered', { endsAfter: 2, repeats: 3 }, pace],
    ['delivers it once more in another order', { endsAfter: 3, repeats: 5, reordered: true }, pace],
    [
      'says at each event that it has come to the end of the log, and ends the call',
      { checkpoints: 'ahead', endsAfter: 1 },
      pace,
    ],
    [
      'says at each event that it has come to a place that is none',
      { checkpoints: 'nowhere', endsAfter: 3 },
      pace,
    ],
    [
      'stops to deliver and keeps the call open',
      { silentAfter: 4 },
      { ...pace, silenceMs: 30 } as typeof pace,
    ],
  ])(
    'given a server that %s, when followed, then every event comes once, in order',
    async (_, fault, its) => {
      const fake = await fakeForTest()
      fake.faults.subscription = () => fault
      const store = await openOn(fake, { pace: its })
      await appendAll(store)

      expect(await followedIds(store)).toEqual(ids)
    },
  )

  test('given checkpoints, which tell of events that nobody has handled, when followed, then none is asked for, and none that comes is gone on from', async () => {
    const fake = await fakeForTest()
    fake.faults.subscription = () => ({ checkpoints: 'ahead' })
    const store = await openOn(fake, { pace })
    await appendAll(store)
    const leaving = new AbortController()

    const [first] = await followed(store, 0, 1)
    for await (const batch of store.follow(first?.position ?? 0, leaving.signal)) {
      // the handler is not done with it: whoever goes on from what it has handled has it again
      expect(batch[0]?.id).toBe(ids[1])
      leaving.abort()
    }

    expect(
      (await followed(store, first?.position ?? 0, seeds.length - 1)).map(({ id }) => id),
    ).toEqual(ids.slice(1))
    expect(fake.reads.filtered()).toBe(0)
  })

  test('given a server that accepts a subscription and says nothing, when followed, then another one is made', async () => {
    const fake = await fakeForTest()
    fake.faults.subscription = (call) => (call < 3 ? { ignored: true } : undefined)
    const store = await openOn(fake, { pace: { ...pace, confirmMs: 1_000 } })
    await appendAll(store)

    expect(await followedIds(store)).toEqual(ids)
    // on a busy machine the third may be given up as well
    expect(fake.reads.subscriptions()).toBeGreaterThanOrEqual(3)
  })

  test.each(['unavailable', 'cancelled', 'not leader', undefined] as const)(
    'given a follower, when its call ends (%s) between any two events, then every event comes once, in order, and it was said why',
    async (error) => {
      const fake = await fakeForTest()
      fake.faults.leader = { host: '127.0.0.1', port: fake.port }
      const drops: unknown[] = []
      const store = await openOn(fake, { pace, onDrop: (reason) => drops.push(reason) })
      const following = followedIds(store)

      for (const seed of seeds) {
        await eventually(() => fake.reads.open() > 0)
        await store.append(newAppend(`a-${seed}`, 'no_stream', seed))
        fake.reads.endAll(error)
      }

      expect(await following).toEqual(ids)
      expect(drops.length).toBeGreaterThan(0)
    },
  )

  test('given a network that ends connections, when followed and appended through it, then every event comes once, in order', async () => {
    const fake = await fakeForTest()
    const proxy = await startTcpProxy(fake)
    onTestFinished(proxy.close)
    const store = await openOn({ url: `esdb://127.0.0.1:${proxy.port}?tls=false` }, { pace })
    const following = followedIds(store)

    for (const [index, seed] of seeds.entries()) {
      if (index % 3 === 1) proxy.reset()
      await store.append(newAppend(`a-${seed}`, 'no_stream', seed))
    }

    expect(await following).toEqual(ids)
    expect(fake.log.events.filter(({ stream }) => stream.startsWith('a-'))).toHaveLength(10)
  })

  test('given a network that carries nothing any more and tells nobody, when it carries again, then appends and followers go on, each event once', async () => {
    const fake = await fakeForTest()
    const proxy = await startTcpProxy(fake)
    onTestFinished(proxy.close)
    const short = { attemptMs: 2_000, readMs: 2_000, silenceMs: 500, attempts: 1 }
    const url = `esdb://127.0.0.1:${proxy.port}?tls=false`
    const store = await openOn({ url }, { pace: { ...pace, ...short } })
    const following = followedIds(store, 0, 2)
    await store.append(newAppend('a-a', 'no_stream', 'a'))

    proxy.freeze()
    const lost = store.append(newAppend('a-b', 'no_stream', 'b'))
    await expect(lost).rejects.toMatchObject({ code: 'unavailable' })
    proxy.thaw()
    await eventually(() =>
      store.append(newAppend('a-b', 'no_stream', 'b')).then(
        () => true,
        () => false,
      ),
    )

    expect(await following).toEqual(ids.slice(0, 2))
    expect(fake.log.stream('a-b')).toHaveLength(1)
  })

  test('given a connection that carries nothing any more, and a server that is there, when followed from the beginning, then it is over a new one', async () => {
    const fake = await fakeForTest()
    const proxy = await startTcpProxy(fake)
    onTestFinished(proxy.close)
    const url = `esdb://127.0.0.1:${proxy.port}?tls=false`
    const store = await openOn({ url }, { pace: { ...pace, confirmMs: 1_000 } })
    await appendAll(store)

    proxy.freezeOpen()

    expect(await followedIds(store)).toEqual(ids)
  })

  test('given events of the server behind the last one of the service, when the head is asked for, then it is one that followers come to', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake, { pace })
    expect(await store.head()).toBe(0)
    await appendAll(store)
    for (let count = 0; count < 700; count += 1) fake.log.writeSystemEvent('$stats-1')

    const head = await store.head()

    const events = await followed(store, 0, seeds.length)
    expect(events.at(-1)?.position).toBe(head)
    expect(events.map(({ id }) => id)).toEqual(ids)
    const calls = fake.reads.count()
    expect(await store.head()).toBe(head)
    expect(fake.reads.count() - calls).toBe(1)
  })

  test('given events of the server among others, when the log is read in pages, then they are left out and no page ends early for them', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake, { pace })
    for (const seed of seeds) {
      for (let count = 0; count < 7; count += 1) fake.log.writeSystemEvent()
      await store.append(newAppend(`a-${seed}`, 'no_stream', seed))
    }

    const first = await store.readAll({ after: 0, limit: 4 })
    const rest = await store.readAll({ after: first.at(-1)?.position ?? 0, limit: 100 })

    expect([...first, ...rest].map(({ id }) => id)).toEqual(ids)
    expect(first).toHaveLength(4)
    expect((await store.readTail(3)).map(({ id }) => id)).toEqual(ids.slice(-3))
  })

  test('given a follower, when the server goes on with an older copy of its log, then the follower is told, and passes over nothing', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake, { pace })
    await appendAll(store)
    const following = followed(store, 0, 20)
    await eventually(() => fake.reads.open() > 0)

    fake.log.truncate(3)
    appendElsewhere(fake, 3)
    fake.reads.endAll()

    await expect(following).rejects.toMatchObject({
      code: 'unavailable',
      cause: { message: expect.stringContaining('damaged') },
    })
  })

  test('given a follower that leaves, then the server has no call open for it', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake, { pace })
    await appendAll(store)

    await followed(store, 0, 2)

    await eventually(() => fake.reads.open() === 0)
    expect(fake.reads.subscriptions()).toBe(1)
  })
})

/** As many events as were lost, at the same positions. */
function appendElsewhere({ log }: FakeEventStoreDb, count: number): void {
  for (const seed of ['x', 'y', 'z'].slice(0, count)) {
    const { id, type, data, metadata } = newEvent(seed)
    const bytes = { data: Buffer.from(data), metadata: Buffer.from(metadata) }
    log.append(`b-${seed}`, 'any', [{ id, type, contentType: 'application/json', ...bytes }])
  }
}
