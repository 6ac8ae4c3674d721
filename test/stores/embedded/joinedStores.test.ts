/** The stores of one process lent to others over lines, here all in one. */

import { expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../../src/domain/failure.ts'
import { openProcessLine, type ProcessLine } from '../../../src/domain/processLine.ts'
import {
  type JoinedEventStoreOptions,
  openJoinedEventStore,
} from '../../../src/stores/embedded/joinedEventStore.ts'
import { joinedKeyStore } from '../../../src/stores/embedded/joinedKeyStore.ts'
import {
  type LentStores,
  storeAnswers,
  tellLogNews,
} from '../../../src/stores/embedded/serveStores.ts'
import { connectedSockets } from '../../support/connectedSockets.ts'
import { eventually } from '../../support/eventually.ts'
import { memoryKeyStore } from '../../support/memoryKeyStore.ts'
import { eventStoreContract } from '../eventStore.contract.ts'
import { keyStoreContract } from '../keyStore.contract.ts'
import { openForTest } from '../support/embeddedUnderTest.ts'
import { newAppend, newEvent } from '../support/newEvents.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

interface Lending {
  /** The end of whoever joins. */
  readonly line: ProcessLine
  readonly close: () => void
}

/** `hearing` unless the other end is to be told nothing of the log. */
async function lend(stores: LentStores, hearing = true): Promise<Lending> {
  const [near, far] = await connectedSockets()
  const lender = openProcessLine(near)
  lender.serve({ answers: storeAnswers(stores) })
  const over = new AbortController()
  void lender.ended.then(() => over.abort())
  if (hearing) void tellLogNews(stores, lender, over.signal)
  return { line: openProcessLine(far), close: () => near.destroy() }
}

async function join(
  events: LentStores['events'],
  options: Omit<JoinedEventStoreOptions, 'line'>,
  hearing = true,
) {
  const { line, close } = await lend({ events, keys: memoryKeyStore() }, hearing)
  const store = openJoinedEventStore({ ...options, line })
  line.serve({ hears: { log: store.hear } })
  onTestFinished(() => store.close())
  onTestFinished(close)
  return { store, line, close }
}

eventStoreContract({
  name: 'the embedded store of another process',
  open: async () => {
    const folder = temporaryFolder()
    const own = await openForTest({ folder })
    const { store, close } = await join(own, { folder })
    return {
      store,
      reopen: async () => {
        await store.close()
        close()
        await own.close()
        return (await join(await openForTest({ folder }), { folder })).store
      },
    }
  },
})

keyStoreContract('the key store of another process', async () => {
  const keys = memoryKeyStore()
  const events = { append: never, takesAppends: () => true, headBuffer: new SharedArrayBuffer(8) }
  let { line, close } = await lend({ events, keys }, false)
  return {
    store: joinedKeyStore(line),
    reopen: async () => {
      close()
      ;({ line, close } = await lend({ events, keys }, false))
      return joinedKeyStore(line)
    },
    dispose: async () => close(),
  }
})

test('given two that have joined, when one has an answer to what it appended, then the other reads on to it at once, though it is told nothing', async () => {
  const folder = temporaryFolder()
  const own = await openForTest({ folder })
  const [a, b] = [await join(own, { folder }, false), await join(own, { folder }, false)]
  let known = 0

  for (let revision = 0; revision < 30; revision += 1) {
    const writer = revision % 2 === 0 ? a : b
    const reader = revision % 2 === 0 ? b : a
    const expected = revision === 0 ? 'no_stream' : revision - 1
    const appended = await writer.store.append(newAppend('a-1', expected, `${revision}`))

    expect(appended).toMatchObject({ ok: true, position: await reader.store.head() })
    const news = await reader.store.readNews('a-1', { from: revision, limit: 10, known })
    expect(news.events.map(({ id }) => id)).toEqual([newEvent(`${revision}`).id])
    known = news.position
  }
})

test('given two that have joined, when both append at one revision, then one of them has it', async () => {
  const folder = temporaryFolder()
  const own = await openForTest({ folder })
  const stores = [(await join(own, { folder })).store, (await join(own, { folder })).store]

  for (let round = 0; round < 20; round += 1) {
    const answers = await Promise.all(
      stores.map((store, index) => store.append(newAppend(`a-${round}`, 'no_stream', `${index}`))),
    )
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true])
  }
})

test('given one that follows, when another one appends, then it is woken by what it is told', async () => {
  const folder = temporaryFolder()
  const own = await openForTest({ folder })
  const [a, b] = [await join(own, { folder }), await join(own, { folder })]
  const stop = new AbortController()
  const followed: string[] = []
  const following = (async () => {
    for await (const events of b.store.follow(0, stop.signal)) {
      followed.push(...[events].flat().map(({ id }) => id))
    }
  })()

  for (let count = 0; count < 5; count += 1) {
    await a.store.append(newAppend(`a-${count}`, 'no_stream', `${count}`))
    await eventually(() => followed.length === count + 1)
  }
  stop.abort()
  await following

  expect(followed).toEqual([0, 1, 2, 3, 4].map((count) => newEvent(`${count}`).id))
})

test('given a line that has ended, then appends and keys are unavailable, and what is on disk can still be read', async () => {
  const folder = temporaryFolder()
  const own = await openForTest({ folder })
  const { store, line, close } = await join(own, { folder })
  await store.append(newAppend('a-1', 'no_stream', 'x'))

  close()
  await line.ended

  const unavailable = { code: 'unavailable' }
  await expect(store.append(newAppend('a-1', 0, 'y'))).rejects.toMatchObject(unavailable)
  await expect(joinedKeyStore(line).keys(['k'])).rejects.toMatchObject(unavailable)
  expect(store.takesAppends()).toBe(false)
  expect(await store.readStream('a-1', { from: 0, limit: 10 })).toHaveLength(1)
})

test('given a log that takes no appends, when that is over, then whoever has joined hears it', async () => {
  const folder = temporaryFolder()
  const own = await openForTest({ folder })
  let takes = true
  const { store } = await join(
    {
      ...own,
      takesAppends: () => takes,
      append: (append) => {
        if (takes) return own.append(append)
        throw new Failure('unavailable', 'The event log cannot be written.', {
          retryAfterSeconds: 1,
        })
      },
    },
    { folder },
  )

  takes = false
  const refused = store.append(newAppend('a-1', 'no_stream', 'x'))
  await expect(refused).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
  expect(store.takesAppends()).toBe(false)
  takes = true

  // told within a second, though the log does not grow
  await eventually(() => store.takesAppends())
  expect(await store.append(newAppend('a-1', 'no_stream', 'x'))).toMatchObject({ ok: true })
})

test('given more on its way than there is room for, then it is refused, and the first always goes', async () => {
  const folder = temporaryFolder()
  const own = await openForTest({ folder })
  const { store } = await join(own, { folder, pendingMax: 10 })

  const [first, second] = await Promise.allSettled([
    store.append(newAppend('a-1', 'no_stream', 'x')),
    store.append(newAppend('a-2', 'no_stream', 'y')),
  ])

  expect(first).toMatchObject({ status: 'fulfilled', value: { ok: true } })
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
  expect(await store.append(newAppend('a-2', 'no_stream', 'y'))).toMatchObject({ ok: true })
})

async function never(): Promise<never> {
  throw new Error('nothing is appended here')
}
