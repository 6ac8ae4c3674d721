import { describe, expect, onTestFinished, test } from 'vitest'
import { joinEventStoreDb } from '../../../src/stores/eventstoredb/openEventStoreDb.ts'
import type { AppendFault } from '../../support/eventStoreDb/fakeFaults.ts'
import { eventually } from '../../support/eventually.ts'
import { nothingMoreComes } from '../../support/nothingMoreComes.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.ts'
import { fakeForTest, openOn } from '../support/fakeUnderTest.ts'
import { newAppend, newEvent } from '../support/newEvents.ts'

/** Times short enough for a test and long enough for a busy machine. */
const pace = { attemptMs: 5_000, backoffMs: 5, againMs: 60_000, probeEveryMs: 20 }

describe('an append to EventStoreDB', () => {
  test.each<AppendFault>([
    'answer dropped',
    'cut after the write',
    'cut before the write',
    'late',
    'not ready',
    'slow',
  ])(
    'given a server that fails in the way "%s" at each append once, when many are made, then all are there exactly once, with the answer of the first time',
    async (fault) => {
      const fake = await fakeForTest()
      fake.faults.append = (call) => (call % 2 === 1 ? fault : undefined)
      const store = await openOn(fake, { pace: { ...pace, attemptMs: 150, attempts: 20 } })

      for (let revision = 0; revision < 6; revision += 1) {
        const expected = revision === 0 ? 'no_stream' : revision - 1
        const answer = await store.append(newAppend('a-1', expected, `${revision}`))

        expect(answer).toEqual({
          ok: true,
          revision,
          position: fake.log.stream('a-1')?.[revision]?.position,
        })
      }

      expect(fake.log.stream('a-1')).toHaveLength(6)
    },
  )

  test('given a connection that is cut under many large appends, then nothing of the client ends the process, and all are there exactly once', async () => {
    const fake = await fakeForTest()
    fake.faults.append = (call) => (call % 40 === 5 ? 'cut before the write' : undefined)
    const store = await openOn(fake, { pace: { ...pace, attempts: 20 } })
    const data = JSON.stringify('x'.repeat(20_000))

    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        store.append({
          stream: `a-${index}`,
          expected: 'no_stream',
          events: [{ ...newEvent(`${index}`), data }],
        }),
      ),
    )

    expect(answers.every(({ ok }) => ok)).toBe(true)
    expect(await store.readAll({ after: 0, limit: 1_000 })).toHaveLength(120)
    // a rejection that nobody handles would have failed the run by itself
  })

  test('given two clients in one process with appends under way, when the connection of one breaks again and again, then the other has its first answers, and nothing ends the process', async () => {
    const [calm, broken] = [await fakeForTest(), await fakeForTest()]
    calm.faults.append = () => 'slow'
    let breaks = 0
    broken.faults.append = (call) => {
      if (call % 5 !== 2 || call > 20) return undefined
      breaks += 1
      return 'cut before the write'
    }
    const [one, other] = [await openOn(calm, { pace }), await openOn(broken, { pace })]
    let calls = 0
    const { append } = calm.faults
    calm.faults.append = (call) => {
      calls = call
      return append(call)
    }
    const streams = Array.from({ length: 8 }, (_, index) => `a-${index}`)

    const answers = await Promise.all(
      streams.flatMap((stream) => [
        one.append(newAppend(stream, 'no_stream', stream)),
        other.append(newAppend(stream, 'no_stream', stream)),
      ]),
    )

    expect(breaks).toBeGreaterThan(1)
    expect(answers.every(({ ok }) => ok)).toBe(true)
    // each once: the one was told of nothing that has befallen the other, and had nothing to send again
    expect(calls).toBe(streams.length)
    for (const fake of [calm, broken]) {
      for (const stream of streams) expect(fake.log.stream(stream)).toHaveLength(1)
    }
    // an answer that nobody can be found for would have failed the run by itself
  })

  test('given a server that ignores appends, when its time is over, then the outcome is unknown, the same append was sent again so often and no more, and the client was made anew', async () => {
    const fake = await fakeForTest()
    fake.faults.append = () => 'ignored'
    const store = await openOn(fake, { pace: { ...pace, attemptMs: 1_000, attempts: 3 } })

    const append = store.append(newAppend('a-1', 'no_stream', 'x'))

    await expect(append).rejects.toMatchObject({ code: 'unavailable' })
    expect(fake.appends.count()).toBe(3)
  })

  test('given a server that writes appends and answers none, when appended, then the event is found in the stream, and not sent again', async () => {
    const fake = await fakeForTest()
    fake.faults.append = () => 'answer dropped'
    const store = await openOn(fake, { pace: { ...pace, attemptMs: 20_000 } })

    const answer = await store.append(newAppend('a-1', 'no_stream', 'x'))

    expect(answer).toMatchObject({ ok: true, revision: 0 })
    expect(fake.appends.count()).toBe(1)
    expect(fake.log.stream('a-1')).toHaveLength(1)
  })

  test.each(['', '&keepAliveInterval=20000'])(
    'given a connection that carries nothing any more, and a server that is there, when appended and read, then it is over a new one (%s)',
    async (setting) => {
      const fake = await fakeForTest()
      const proxy = await startTcpProxy(fake)
      onTestFinished(proxy.close)
      const url = `esdb://127.0.0.1:${proxy.port}?tls=false${setting}`
      const store = await openOn({ url }, { pace: { ...pace, attemptMs: 1_000, readMs: 1_000 } })
      await store.append(newAppend('a-1', 'no_stream', 'x'))

      proxy.freezeOpen()
      const answer = await store.append(newAppend('a-1', 0, 'y'))
      proxy.freezeOpen()
      const events = await store.readStream('a-1', { from: 0, limit: 10 })

      expect(answer).toMatchObject({ ok: true, revision: 1 })
      expect(events).toHaveLength(2)
    },
  )

  test('given the same append from many callers at once, when it is made, then it is sent once and all have its answer', async () => {
    const fake = await fakeForTest()
    fake.faults.append = () => 'slow'
    const store = await openOn(fake, { pace })
    const append = newAppend('a-1', 'no_stream', 'x', 'y')

    const answers = await Promise.all(Array.from({ length: 10 }, () => store.append(append)))

    expect(new Set(answers).size).toBe(1)
    expect(fake.appends.count()).toBe(1)
  })

  test.each(['dropped', 'wrong revision'] as const)(
    'given the same append from two instances at once, when the server answers the second with "%s", then both have the answer of the one that is written',
    async (duplicates) => {
      const fake = await fakeForTest()
      fake.faults.append = () => 'slow'
      fake.faults.duplicates = duplicates
      fake.faults.writeTimeoutMs = 20
      const [one, other] = [await openOn(fake, { pace }), await openOn(fake, { pace })]
      await one.append(newAppend('a-1', 'no_stream', 'v'))
      const append = newAppend('a-1', 0, 'x', 'y')

      const answers = await Promise.all([one.append(append), other.append(append)])
      const others = await other.append(newAppend('a-1', 0, 'z', 'w'))

      const position = fake.log.stream('a-1')?.[2]?.position
      expect(answers).toEqual([
        { ok: true, revision: 2, position },
        { ok: true, revision: 2, position },
      ])
      expect(others).toEqual({ ok: false, actual: 2 })
    },
  )

  test('given an append that the server drops since another instance sent the same, when its events are in the stream, then the answer of the server is not waited for', async () => {
    const fake = await fakeForTest()
    fake.faults.append = () => 'slow'
    fake.faults.writeTimeoutMs = 600_000
    const never = { ...pace, lookMs: 20, attemptMs: 20_000 }
    const [one, other] = [await openOn(fake, { pace: never }), await openOn(fake, { pace: never })]
    const append = newAppend('a-1', 'no_stream', 'x', 'y')

    const answers = await Promise.all([one.append(append), other.append(append)])

    const position = fake.log.stream('a-1')?.[1]?.position
    expect(answers).toEqual([
      { ok: true, revision: 1, position },
      { ok: true, revision: 1, position },
    ])
    // neither was sent again
    expect(fake.appends.count()).toBe(2)
  })

  test('given an append that is answered late, when there is nothing in its stream yet, or what another has written, then its own answer counts', async () => {
    const fake = await fakeForTest()
    fake.faults.append = (call) => (call > 1 ? 'slow' : undefined)
    const store = await openOn(fake, { pace: { ...pace, lookMs: 1 } })
    await store.append(newAppend('a-1', 'no_stream', 'v'))

    const late = await store.append(newAppend('a-2', 'no_stream', 'x'))
    const wrong = await store.append(newAppend('a-1', 'no_stream', 'y'))

    expect(late).toMatchObject({ ok: true, revision: 0 })
    expect(wrong).toEqual({ ok: false, actual: 0 })
  })

  test('given a log that takes no appends any more, when one is taken, then it takes them at once', async () => {
    const fake = await fakeForTest()
    const store = await openOn(fake, { pace: { ...pace, attempts: 1, probeEveryMs: 600_000 } })
    fake.faults.append = (call) => (call === 1 ? 'not ready' : undefined)
    await expect(store.append(newAppend('a-1', 'no_stream', 'x'))).rejects.toThrow()
    const before = store.isWritable()

    await store.append(newAppend('a-1', 'no_stream', 'x'))

    expect([before, store.isWritable()]).toEqual([false, true])
  })

  test.each([
    ['open', false],
    ['closed', true],
  ])(
    'given a cluster that is found after the time of an append is over, then the append is not written, the store being %s',
    async (_state, isClosed) => {
      const fake = await fakeForTest()
      const proxy = await startTcpProxy(fake)
      onTestFinished(proxy.close)
      proxy.freeze()
      const url = `esdb+discover://127.0.0.1:${proxy.port}?tls=false&gossipTimeout=60`
      const store = joinEventStoreDb({ url, pace: { ...pace, attemptMs: 100, attempts: 1 } })
      onTestFinished(() => store.close())

      const append = store.append(newAppend('a-1', 'no_stream', 'x'))
      await expect(append).rejects.toMatchObject({ code: 'unavailable' })
      if (isClosed) await store.close()
      proxy.thaw()
      await eventually(() => fake.discoveries() > 0)
      await nothingMoreComes(300)

      expect(fake.log.stream('a-1')).toBeUndefined()
    },
  )

  test('given a server that is not the leader, when appended, then the leader has it', async () => {
    const leader = await fakeForTest()
    const follower = await fakeForTest({ log: leader.log })
    follower.faults.leader = { host: '127.0.0.1', port: leader.port }
    follower.faults.append = () => 'not leader'
    const store = await openOn(follower, { pace })

    const answer = await store.append(newAppend('a-1', 'no_stream', 'x'))

    expect(answer).toMatchObject({ ok: true })
    expect(leader.appends.count()).toBe(1)
  })

  test('given a leader that says nothing more, again and again, when appended, then the next client asks the others where the leader is', async () => {
    const first = await fakeForTest()
    const nodes = [first, await fakeForTest({ log: first.log })]
    const ways: TcpProxy[] = []
    for (const node of nodes) ways.push(await startTcpProxy(node))
    onTestFinished(async () => {
      await Promise.all(ways.map((way) => way.close()))
    })
    const lead = (port = 0) => {
      for (const { faults } of nodes) faults.leader = { host: '127.0.0.1', port }
    }
    lead(ways[0]?.port)
    const url = `esdb://${ways.map(({ port }) => `127.0.0.1:${port}`).join(',')}?tls=false`
    const store = await openOn({ url }, { pace: { ...pace, attemptMs: 2_000 } })
    await store.append(newAppend('a-1', 'no_stream', 'x'))

    for (const [revision, [frozen, leader]] of [ways, ways.toReversed(), ways].entries()) {
      frozen?.freeze()
      lead(leader?.port)
      const before = frozen?.accepted()

      const answer = await store.append(newAppend('a-1', revision, `${revision}`))

      expect(answer).toMatchObject({ ok: true, revision: revision + 1 })
      expect(frozen?.accepted()).toBe(before)
      frozen?.thaw()
    }
  })

  test('given a server that denies access, when appended, then it is unavailable at once', async () => {
    const fake = await fakeForTest()
    fake.faults.append = () => 'denied'
    const store = await openOn(fake, { pace })

    const append = store.append(newAppend('a-1', 'no_stream', 'x'))

    await expect(append).rejects.toMatchObject({ code: 'unavailable' })
    expect(fake.appends.count()).toBe(1)
    expect(store.isWritable()).toBe(false)
  })

  test.each([
    ['soft-deleted', (log: Log) => log.softDelete('a-1')],
    ['tombstoned', (log: Log) => log.tombstone('a-1')],
  ])(
    'given a stream that somebody has %s, when an append to it is sent again, then the log is damaged',
    async (_, remove) => {
      const fake = await fakeForTest()
      const store = await openOn(fake, { pace })
      const append = newAppend('a-1', 'no_stream', 'x')
      await store.append(append)
      remove(fake.log)

      const again = store.append(append)

      await expect(again).rejects.toMatchObject({
        code: 'unavailable',
        cause: { message: expect.stringContaining('deleted') },
      })
    },
  )

  test('given a server whose clock is days ahead, when appended, then it takes it', async () => {
    const fake = await fakeForTest()
    fake.faults.clockAheadMs = 90 * 86_400_000
    const store = await openOn(fake, { pace })

    const taken = store.append(newAppend('a-1', 'no_stream', 'x'))

    await expect(taken).resolves.toMatchObject({ ok: true })
  })

  test('given a server that has stopped, when it is there again, then it is found out without an append, and nothing was written for it', async () => {
    const fake = await fakeForTest()
    const said: (string | undefined)[] = []
    const store = await openOn(fake, {
      pace: { ...pace, attempts: 2 },
      onHealthChange: (reason) => said.push(reason),
    })
    await store.append(newAppend('a-1', 'no_stream', 'x'))
    fake.stop()

    const refused = store.append(newAppend('a-1', 0, 'y'))
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' })
    expect(store.isWritable()).toBe(false)
    const { log, port } = fake
    const events = log.events.length
    const again = await fakeForTest({ log, port })

    await eventually(() => store.isWritable())
    expect(log.events).toHaveLength(events)
    expect(again.appends.count()).toBeGreaterThan(0)
    expect(said).toEqual([expect.any(String), undefined])
    expect(await store.append(newAppend('a-1', 0, 'y'))).toMatchObject({ ok: true, revision: 1 })
  })

  test('given appends under way, when the store is closed, then they are answered, and no more are taken', async () => {
    const fake = await fakeForTest()
    fake.faults.append = () => 'slow'
    const store = await openOn(fake, { pace })
    const under = ['x', 'y'].map((seed) => store.append(newAppend(`a-${seed}`, 'no_stream', seed)))

    await store.close()

    expect(await Promise.all(under)).toMatchObject([{ ok: true }, { ok: true }])
    await expect(store.append(newAppend('a-1', 'no_stream', 'z'))).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})

type Log = Awaited<ReturnType<typeof fakeForTest>>['log']
