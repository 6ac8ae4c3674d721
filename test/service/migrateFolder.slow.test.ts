import { cpSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { migrateFolder } from '../../src/service/operations/migration/migrateFolder.ts'
import { openLogReader } from '../../src/stores/embedded/logReader.ts'
import { fakeForTest } from '../stores/support/fakeUnderTest.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { type FakeEventStoreDb, startFakeEventStoreDb } from '../support/eventStoreDb/fakeServer.ts'
import { eventually } from '../support/eventually.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

const clock = { nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5) }

let template: Vigil
let shop: Customer
let flow = ''
const verdicts: string[] = []
/** A copy of it, and an empty server. */
let folder = ''
let fake: FakeEventStoreDb

beforeAll(async () => {
  template = await openVigil()
  shop = await openCustomer(template)
  flow = await shop.flowOf('signal.existing_user', 'phoneCountry(target.phone_number) == "FR"')
  for (let count = 10; count < 30; count += 1) {
    const target = { phone_number: `+336123456${count}` }
    verdicts.push(String((await shop.evaluate(flow, { target })).body['id']))
  }
  await stop(template)
})

afterAll(() => rmSync(template.folder, { recursive: true, force: true }))

beforeEach(async () => {
  folder = temporaryFolder()
  cpSync(template.folder, folder, { recursive: true })
  fake = await fakeForTest()
})

async function stop({ door, service }: Vigil): Promise<void> {
  await door.close()
  await service.close()
}

interface Changed {
  readonly from?: string
  readonly to?: string
  readonly signal?: AbortSignal
  readonly onProgress?: (step: string, done: number, of: number) => void
  readonly patienceMs?: number
}

const migrate = (changed: Changed = {}) =>
  migrateFolder({
    ...{ from: folder, to: fake.url, clock },
    ...{ signal: new AbortController().signal, onProgress: () => undefined },
    ...changed,
  })

/** What the folder has, as a server shows it. */
function eventsOf(path: string): readonly object[] {
  const reader = openLogReader(join(path, 'log.db'))
  const events = reader.readAll({ after: 0, limit: 10_000 })
  reader.close()
  return events.map(({ position: _, ...event }) => event)
}

const eventsIn = ({ log }: FakeEventStoreDb): readonly object[] =>
  log.events
    .filter(({ stream }) => !stream.startsWith('$'))
    .map(({ id, type, stream, revision, data, metadata }) => ({
      ...{ id, type, data: text(data), metadata: text(metadata), stream, revision },
    }))

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')

const ask = (opened: Vigil, method: string, path: string) =>
  opened.door.request<Record<string, unknown>>(method, path, { token: shop.token })

async function expectWholeOn(opened: Vigil): Promise<void> {
  // the read models are built anew from the log of the server
  await eventually(async () => (await opened.service.readiness()).ready)
  for (const id of verdicts.slice(0, 3)) {
    const replay = await ask(opened, 'POST', `/v2/watch/evaluations/${id}/replay`)
    expect(replay.body['result']).toBe('MATCH')
  }
  const { body } = await ask(opened, 'GET', '/v2/watch/evaluations?limit=100')
  expect((body['evaluations'] as { id: string }[]).map(({ id }) => id).toSorted()).toEqual(
    verdicts.toSorted(),
  )
}

/** How many appends a move takes. */
async function countAppends(): Promise<number> {
  const server = await fakeForTest()
  const copy = temporaryFolder()
  cpSync(folder, copy, { recursive: true })
  let appends = 0
  server.faults.append = (call) => {
    appends = call
    return undefined
  }
  await migrate({ from: copy, to: server.url })
  return appends
}

test('given a log, when it is moved, then the server has the same events, and the service goes on there and replays what was before', async () => {
  const before = eventsOf(folder)

  const migrated = await migrate()

  expect(eventsIn(fake)).toEqual(before)
  expect(migrated).toMatchObject({
    ...{ from: folder, keys: undefined },
    log: { events: before.length },
  })
  expect(migrated.log?.digest).toMatch(/^[0-9a-f]{64}$/)
  const opened = await openVigil({ folder, eventStoreUrl: fake.url })
  expect(opened.isNew).toBe(false)
  await expectWholeOn(opened)
  const next = await opened.door.request<{ id: string }>('POST', '/v2/watch/eval', {
    token: shop.token,
    body: { flow_id: flow, target: { phone_number: '+33612345611' } },
  })
  expect(next.status).toBe(200)
  const again = await opened.restart()
  expect((await ask(again, 'GET', `/v2/watch/evaluations/${next.body.id}`)).status).toBe(200)
  await stop(again)
})

test('given a folder that was moved, when it is started without the server or moved again, then it is refused', async () => {
  await migrate()

  await expect(openVigil({ folder })).rejects.toThrow('set EVENTSTORE_URL')
  await expect(migrate()).rejects.toThrow('is kept by an EventStoreDB already')
})

test('given an end at any append, when it is moved again, then every event is there once, in order', async () => {
  const before = eventsOf(folder)
  const appends = await countAppends()
  expect(appends).toBeGreaterThan(20)
  for (let calls = 1; calls <= appends; calls += 5) {
    const server = await startFakeEventStoreDb()
    const stopping = new AbortController()
    server.faults.append = (call) => {
      if (call !== calls) return undefined
      stopping.abort(new Error('killed'))
      return call % 2 === 0 ? 'cut after the write' : 'cut before the write'
    }
    await expect(migrate({ to: server.url, signal: stopping.signal })).rejects.toThrow('killed')
    expect(eventsOf(folder)).toEqual(before)
    const copied = eventsIn(server).length
    expect(eventsIn(server)).toEqual(before.slice(0, copied))

    const copy = temporaryFolder()
    cpSync(folder, copy, { recursive: true })
    await migrateFolder({
      ...{ from: copy, to: server.url, clock, onProgress: () => undefined },
      signal: new AbortController().signal,
    })

    expect(eventsIn(server)).toEqual(before)
    server.stop()
  }
})

test('given a server whose connections break all the time, when it is moved, then nothing is there twice', async () => {
  const before = eventsOf(folder)
  fake.faults.append = (call) => (call % 3 === 0 ? 'cut after the write' : undefined)
  fake.faults.read = (call) => (call % 4 === 0 ? 'unavailable' : undefined)

  await migrate()

  expect(eventsIn(fake)).toEqual(before)
})

test('given an end while the folder is switched, when it is moved again, then it comes to its end', async () => {
  const { log } = await migrate()
  renameSync(log?.movedTo ?? '', join(folder, 'log.db'))

  await expect(openVigil({ folder })).rejects.toThrow('set EVENTSTORE_URL')
  await expect(openVigil({ folder, eventStoreUrl: fake.url })).rejects.toThrow(
    'Run vigil migrate again',
  )
  await migrate()

  const opened = await openVigil({ folder, eventStoreUrl: fake.url })
  await expectWholeOn(opened)
  await stop(opened)
})

test('given a server that others have written to, then it is refused, and the folder is as it was', async () => {
  const other = await openVigil({ eventStoreUrl: fake.url })
  await stop(other)
  const written = eventsIn(fake).length

  await expect(migrate()).rejects.toThrow('holds other events than this log')

  expect(eventsIn(fake)).toHaveLength(written)
  expect(existsSync(join(folder, 'log.elsewhere'))).toBe(false)
  const opened = await openVigil({ folder })
  await expectWholeOn(opened)
  await stop(opened)
})

test('given events behind those of the folder, then they are found, and the folder is as it was', async () => {
  const { log } = await migrate()
  const longer = temporaryFolder()
  cpSync(template.folder, longer, { recursive: true })
  const one = fake.log.events.at(-1)
  fake.log.append('account-x', 'no_stream', [
    {
      ...{ id: crypto.randomUUID(), type: 'Tested', contentType: 'application/json' },
      data: one?.data ?? new Uint8Array(),
      metadata: one?.metadata ?? new Uint8Array(),
    },
  ])

  const again = migrateFolder({
    ...{ from: longer, to: fake.url, clock, onProgress: () => undefined },
    signal: new AbortController().signal,
  })

  await expect(again).rejects.toThrow('holds other events than this log')
  expect(readdirSync(longer)).toContain('log.db')
  expect(log?.movedTo).toContain('log.db.moved-')
})

test('given a service in use, a loss, or no log, then nothing is copied', async () => {
  const opened = await openVigil({ folder })
  await expect(migrate()).rejects.toThrow('another process is using it')
  await stop(opened)
  rmSync(join(folder, 'log.db'))

  await expect(migrate()).rejects.toThrow('There is no log of Vigil')
  expect(eventsIn(fake)).toEqual([])
})

test('given a server that was copied by a client which parses events and writes them anew, when it is moved again, then they are the same events', async () => {
  const first = await migrate()
  const copy = temporaryFolder()
  cpSync(template.folder, copy, { recursive: true })
  const events = fake.log.events as unknown as { data: Uint8Array; metadata: Uint8Array }[]
  for (const [index, event] of events.entries()) {
    events[index] = { ...event, data: rewritten(event.data), metadata: rewritten(event.metadata) }
  }

  const again = await migrateFolder({
    ...{ from: copy, to: fake.url, clock, onProgress: () => undefined },
    signal: new AbortController().signal,
  })

  expect(again.log?.digest).toBe(first.log?.digest)
})

/** The same JSON with the members of its objects in another order, and white space. */
function rewritten(json: Uint8Array): Uint8Array {
  if (json.length === 0) return json
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, member]) => [name, turned(member)]),
    )
  }
  return Buffer.from(JSON.stringify(turned(JSON.parse(text(json))), undefined, 1))
}

test('given an event that the server has otherwise, when it is compared, then it is named', async () => {
  await migrate()
  const changed = temporaryFolder()
  cpSync(template.folder, changed, { recursive: true })
  const events = fake.log.events as unknown as { data: Uint8Array }[]
  const at = events.length - 2
  events[at] = { ...events[at], data: Buffer.from('{}') } as { data: Uint8Array }

  const again = migrateFolder({
    ...{ from: changed, to: fake.url, clock, onProgress: () => undefined },
    signal: new AbortController().signal,
  })

  await expect(again).rejects.toThrow(/data of the event at position \d+ of the folder/)
})
