import { describe, expect, test } from 'vitest'
import { type Command, executeCommand } from '../../src/commands/handling/executeCommand.ts'
import { Failure } from '../../src/domain/failure.ts'
import { uuidV5 } from '../../src/domain/uuid.ts'
import type { DecodedEvent, DomainEvent, EventContext } from '../../src/events/recording/event.ts'
import { openStreamCache } from '../../src/state/folding/foldedStreamCache.ts'
import { keysKnownMax } from '../../src/state/folding/rememberedCommands.ts'
import { openStreamQueue } from '../../src/state/folding/streamQueue.ts'
import type { StreamType } from '../../src/state/folding/streamType.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import { load } from '../support/load.ts'
import { memoryEventStore } from '../support/memoryEventStore.ts'

type Added = DomainEvent<'Added', { readonly amount: number }>

const sum: StreamType<{ total: number }, Added> = {
  initial: () => ({ total: 0 }),
  evolve: (state, event) => ({ total: state.total + event.data.amount }),
  estimateBytes: () => 0,
}

function decode(recorded: RecordedEvent): DecodedEvent {
  const { stream, revision, position, type } = recorded
  const data: unknown = JSON.parse(recorded.data)
  const metadata = JSON.parse(recorded.metadata)
  return { event: { type, data }, metadata, stream, revision, position }
}

const openFollowed = () => open(memoryEventStore(), () => true)

function open(store = memoryEventStore(), isFollowed = () => false) {
  const streams = openStreamCache({
    ...load,
    store,
    decode,
    streamType: sum,
    bytesMax: 1_000_000,
    isFollowed,
  })
  const encode = (events: readonly Added[], context: EventContext) =>
    events.map((event, index) => ({
      id: uuidV5(context.command, `${index}`),
      type: event.type,
      data: JSON.stringify(event.data),
      metadata: JSON.stringify({ ...context, version: 1 }),
    }))
  return {
    store,
    streams,
    writer: { events: store, streams, encode, streamQueue: openStreamQueue() },
  }
}

type Writer = ReturnType<typeof open>['writer']

/** Carries out a command on the one stream. */
const run = (writer: Writer, decide: Command<{ total: number }, Added>['decide'], of = context()) =>
  runWhole(writer, { decide }, of)

const runWhole = <Gathered, Answer>(
  { streams, ...writing }: Writer,
  command: Pick<Command<{ total: number }, Added, Gathered, Answer>, 'gather' | 'decide'>,
  of = context(),
) =>
  executeCommand({ ...writing, encode: writing.encode as never }, streams, {
    stream: 's-1',
    context: of,
    ...command,
  })

let commands = 0
function context(change: Partial<EventContext> = {}): EventContext {
  commands += 1
  const command = uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', `${commands}`)
  return { account: 'acc_1', actor: 'tok_1', request: 'req', command, time: 1, ...change }
}

/** Another instance over the same store. */
const elsewhere = (store: ReturnType<typeof open>['store'], decide: () => readonly Added[]) =>
  run(open(store).writer, decide)

const add =
  (...amounts: readonly number[]) =>
  (): readonly Added[] =>
    amounts.map((amount) => ({ type: 'Added', data: { amount } }))

test('a command that changes nothing writes nothing and answers where its stream stands', async () => {
  const { writer, store } = open()
  await run(writer, add(1))

  const answer = await run(writer, add())

  expect(answer).toMatchObject({ events: [], position: store.log[0]?.position })
  expect(store.log).toHaveLength(1)
})

test('what a command has written is known: the next one asks for what came after it', async () => {
  const asked: number[] = []
  const store = memoryEventStore()
  const readNewEvents: typeof store.readNewEvents = (stream, page) => {
    asked.push(page.known)
    return store.readNewEvents(stream, page)
  }
  const { writer } = open({ ...store, readNewEvents }, () => true)
  await run(writer, add(1))
  const { position } = await run(writer, add(1, 2))
  asked.length = 0

  await run(writer, add())

  expect(asked).toEqual([position])
})

test('a command is remembered by the stream, also by one who reads it anew', async () => {
  const { writer, store } = open()
  const once = context({ digest: 'd' })
  await run(writer, add(1, 2), once)

  const again = await run(open(store).writer, add(9), once)

  expect(again.events.map((event) => event.data.amount)).toEqual([1, 2])
  expect(again.state.total).toBe(3)
})

describe('a key', () => {
  const day = 24 * 60 * 60 * 1_000
  const keyed = (key: string, time: number) => context({ key, digest: 'd', time })
  const taken = async (writer: Writer, once: EventContext) => run(writer, add(1), once)

  test('is known for a day by the times of the commands, by whoever reads the stream', async () => {
    const { writer, store } = open()
    const first = await taken(writer, keyed('k', 1_000))

    const [inTime, late] = [keyed('k', 1_000 + day), keyed('k', 1_001 + day)]
    const again = await taken(open(store).writer, inTime)
    const anew = await taken(open(store).writer, late)
    const latest = await taken(writer, keyed('k', 1_002 + day))

    expect([again.repeated, again.command]).toEqual([true, first.command])
    expect([anew.repeated, anew.command]).toEqual([false, late.command])
    expect([latest.repeated, latest.command]).toEqual([true, late.command])
    expect(store.log).toHaveLength(2)
  })

  test('that many others have followed names another command', async () => {
    const { writer, store } = open()
    await taken(writer, keyed('k', 1))
    for (let other = 0; other < keysKnownMax; other += 1) await taken(writer, keyed(`${other}`, 1))

    const newest = await taken(open(store).writer, keyed('0', 1))
    const oldest = await taken(open(store).writer, keyed('k', 1))

    expect([newest.repeated, oldest.repeated]).toEqual([true, false])
  })

  test('of a command with a stream of its own is known for ever', async () => {
    const { writer } = open()
    const once = context({ digest: 'd' })
    await taken(writer, once)
    for (let other = 0; other < keysKnownMax; other += 1) await taken(writer, keyed(`${other}`, 1))

    const again = await taken(writer, { ...once, time: 400 * day })

    expect(again.repeated).toBe(true)
  })

  test('of a command of more events than are read at a time gives all of them back', async () => {
    const { writer, store } = open()
    const amounts = Array.from({ length: 50 }, (_, index) => index)
    const once = keyed('k', 1)
    await run(writer, add(...amounts), once)
    await run(writer, add(7))

    const again = await run(writer, add(), once)

    expect(again.events.map(({ data }) => data.amount)).toEqual(amounts)
    expect(again.position).toBe(store.log[49]?.position)
  })
})

test('a command that would change nothing is decided on what others have written before it', async () => {
  const { writer, store } = open()
  await run(writer, add(1))
  await elsewhere(store, add(10))
  const seen: number[] = []

  const answer = await run(writer, ({ total }) => {
    seen.push(total)
    return []
  })

  expect(seen).toEqual([11])
  expect(answer.position).toBe(store.log[1]?.position)
})

test('a command answers the position of its own events', async () => {
  const { writer, store } = open()
  await run(writer, add(1))
  store.after = async () => {
    store.after = undefined
    await elsewhere(store, add(10))
  }

  const answer = await run(writer, add(2))

  expect(answer.position).toBe(store.log[1]?.position)
})

test('a stream is not trusted once an append to it has an unknown outcome', async () => {
  const { writer, store, streams } = openFollowed()
  await run(writer, add(1))
  store.after = () => {
    throw new Failure('unavailable', 'the answer was lost')
  }

  const answer = run(writer, add(2))

  await expect(answer).rejects.toMatchObject({ code: 'unavailable' })
  expect((await streams.getFolded('s-1')).state.total).toBe(3)
})

test('a command gives up when others are always faster', async () => {
  const { writer, store } = open()
  const other = open(store)
  let busy = false
  store.before = async () => {
    if (busy) return
    busy = true
    await run(other.writer, add(1))
    busy = false
  }

  const answer = run(writer, add(1))

  await expect(answer).rejects.toMatchObject({ code: 'conflict' })
})

test('an append is sent once: a store that may send it again does so by itself', async () => {
  const { writer, store } = open()
  let asked = 0
  store.before = () => {
    asked += 1
    throw new Failure('unavailable', 'the disk is full')
  }

  const answer = run(writer, add(4))

  await expect(answer).rejects.toMatchObject({ code: 'unavailable' })
  expect(asked).toBe(1)
})

describe('what a decision needs', () => {
  /** Adds what it gathers, and answers it; `meanwhile` happens while it gathers the first time. */
  const addGathered = (meanwhile?: () => Promise<unknown>) => {
    const gathered: number[] = []
    const gather = async ({ total }: { readonly total: number }) => {
      gathered.push(total)
      if (gathered.length === 1) await meanwhile?.()
      return { total }
    }
    const decide = (_: unknown, __: number, { total }: { readonly total: number }) => ({
      events: add(total)(),
      answer: `added ${total}`,
    })
    return { gathered, command: { gather, decide } }
  }

  test('given a decision with an answer, when it is carried out, then the answer is given to that call alone', async () => {
    const { writer, store } = open()
    await run(writer, add(1))
    const once = context({ digest: 'd', key: 'k' })
    const { command } = addGathered()

    const first = await runWhole(writer, command, once)
    const again = await runWhole(open(store).writer, command, once)

    expect([first.answer, first.state.total]).toEqual(['added 1', 2])
    expect([again.answer, again.repeated, again.state.total]).toEqual([undefined, true, 2])
  })

  test('given an event of another instance, when it is followed while it is gathered, then it is gathered and decided anew', async () => {
    const { writer, store, streams } = openFollowed()
    await run(writer, add(1))
    const { gathered, command } = addGathered(async () => {
      await elsewhere(store, add(10))
      const last = store.log.at(-1)
      if (last) streams.applyEvent(last)
    })

    const answer = await runWhole(writer, command)

    expect(gathered).toEqual([1, 11])
    expect([answer.state.total, answer.answer]).toEqual([22, 'added 11'])
    expect(store.log).toHaveLength(3)
  })

  test('given another writer, when it is faster, then it is gathered and decided anew', async () => {
    const { writer, store } = open()
    await run(writer, add(1))
    const { gathered, command } = addGathered(() => elsewhere(store, add(10)))

    const answer = await runWhole(writer, command)

    expect(gathered).toEqual([1, 11])
    expect([answer.state.total, answer.answer]).toEqual([22, 'added 11'])
  })
})

test('a decision that is asynchronous does not compile, whatever it promises', () => {
  type Decide = Command<{ total: number }, Added>['decide']
  const asynchronous: readonly Decide[] = [
    // @ts-expect-error a promise is no list of events
    async () => [],
    // @ts-expect-error a promise is no decision
    async () => ({ events: [], answer: undefined }),
    // @ts-expect-error nothing promised is nothing decided
    () => Promise.resolve(),
    // @ts-expect-error the events of a decision are there at once
    () => ({ events: Promise.resolve([]), answer: undefined }),
  ]

  expect(asynchronous).toHaveLength(4)
})
