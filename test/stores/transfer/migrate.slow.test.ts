import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { checkReadiness } from '../../../src/queries/operations/readiness.ts'
import { dataFolderAt, rejectLocalStores } from '../../../src/stores/embedded/dataFolder.ts'
import { openLogReader } from '../../../src/stores/embedded/logReader.ts'
import { openEventStoreDb } from '../../../src/stores/eventstoredb/openEventStoreDb.ts'
import { moveFolder } from '../../../src/stores/transfer/migrateFolder.ts'
import { createServerTarget } from '../../../src/stores/transfer/serverStores.ts'
import {
  type FakeEventStoreDb,
  startFakeEventStoreDb,
} from '../../support/eventStoreDb/fakeServer.ts'
import { eventually } from '../../support/eventually.ts'
import { type MemoryKeyRecords, memoryKeyRecords } from '../../support/memoryKeyRecords.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../../support/openVigil.ts'
import { fakeForTest } from '../support/fakeUnderTest.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

let template: Vigil
let shop: Customer
let flow = ''
const verdicts: string[] = []
/** A copy of it, an empty server for the log and one for the keys. */
let folder = ''
let fake: FakeEventStoreDb
let keys: MemoryKeyRecords

beforeAll(async () => {
  template = await openVigil()
  shop = await openCustomer(template)
  flow = await shop.flowOf('signal.existing_user', 'phoneCountry(target.phone_number) == "FR"')
  for (let count = 10; count < 30; count += 1) {
    const target = { phone_number: `+336123456${count}` }
    verdicts.push(String((await shop.evaluate(flow, { target })).body['id']))
  }
  await template.stop()
})

afterAll(() => rmSync(template.folder, { recursive: true, force: true }))

beforeEach(async () => {
  folder = temporaryFolder()
  cpSync(template.folder, folder, { recursive: true })
  fake = await fakeForTest()
  keys = memoryKeyRecords()
})

interface Changed {
  readonly from?: string
  readonly to?: string
  readonly keys?: MemoryKeyRecords
  readonly signal?: AbortSignal
  readonly onProgress?: (step: string, done: number, of: number) => void
}

const migrate = ({ to = fake.url, keys: kept = keys, ...changed }: Changed = {}) =>
  moveFolder(
    {
      from: folder,
      ...{ signal: new AbortController().signal, onProgress: () => undefined },
      ...changed,
    },
    async (move) => {
      const events = await openEventStoreDb({ url: to })
      try {
        return await move(createServerTarget(events, kept))
      } finally {
        await events.close()
      }
    },
  )

function copyOfTemplate(): string {
  const copy = temporaryFolder()
  cpSync(template.folder, copy, { recursive: true })
  return copy
}

/** What the folder has, as a server shows it. */
function eventsOf(path: string): readonly object[] {
  const reader = openLogReader(join(path, 'log.db'))
  const events = reader.readAll({ after: 0, limit: 10_000 })
  reader.close()
  return events.map(({ position: _, ...event }) => event)
}

const eventsIn = ({ log }: FakeEventStoreDb): readonly object[] =>
  log.events
    .filter(({ stream, type }) => !stream.startsWith('$') && !type.startsWith('$'))
    .map(({ id, type, stream, revision, data, metadata }) => ({
      ...{ id, type, data: text(data), metadata: text(metadata), stream, revision },
    }))

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')

const ask = (opened: Vigil, method: string, path: string) =>
  opened.door.request<Record<string, unknown>>(method, path, { token: shop.token })

async function expectWholeOn(opened: Vigil): Promise<void> {
  // the read models are built anew from the log of the server
  await eventually(async () => (await checkReadiness(opened.service.context)).ready)
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
  let appends = 0
  server.faults.append = (call) => {
    appends = call
    return undefined
  }
  await migrate({ from: copyOfTemplate(), to: server.url, keys: memoryKeyRecords() })
  return appends
}

test('given a folder, when it is moved, then the servers have its events and its keys, and it is not started or moved by itself any more', async () => {
  const before = eventsOf(folder)

  const migrated = await migrate()

  expect(eventsIn(fake)).toEqual(before)
  expect(migrated).toMatchObject({ from: folder, log: { events: before.length } })
  expect(migrated.log.digest).toMatch(/^[0-9a-f]{64}$/)
  expect(migrated.keys.keys).toBe(keys.kept.size)
  expect(keys.keptProof).toHaveLength(32)
  expect(() => rejectLocalStores(dataFolderAt(folder))).not.toThrow()
  await expect(openVigil({ folder })).rejects.toThrow('Set EVENTSTORE_URL and MONGODB_URL')
  await expect(migrate()).rejects.toThrow('are kept by servers already')
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

    await migrate({ from: copyOfTemplate(), to: server.url, keys: memoryKeyRecords() })

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

test('given a server that others have written to, then it is refused, and the folder is as it was', async () => {
  const other = await openVigil({ eventStoreUrl: fake.url })
  await other.stop()
  const written = eventsIn(fake).length

  await expect(migrate()).rejects.toThrow('holds other events than are to be copied')

  expect(eventsIn(fake)).toHaveLength(written)
  expect(existsSync(join(folder, 'on-servers'))).toBe(false)
  const opened = await openVigil({ folder })
  await expectWholeOn(opened)
  await opened.stop()
})

test('given events behind those of the folder, then they are found, and the folder is as it was', async () => {
  await migrate()
  const longer = copyOfTemplate()
  const one = fake.log.events.at(-1)
  fake.log.append('account-x', 'no_stream', [
    {
      ...{ id: crypto.randomUUID(), type: 'Tested', contentType: 'application/json' },
      data: one?.data ?? new Uint8Array(),
      metadata: one?.metadata ?? new Uint8Array(),
    },
  ])

  const again = migrate({ from: longer })

  await expect(again).rejects.toThrow('holds other events than are to be copied')
  expect(existsSync(join(longer, 'on-servers'))).toBe(false)
})

test('given a service in use, a loss, or no log, then nothing is copied', async () => {
  const opened = await openVigil({ folder })
  await expect(migrate()).rejects.toThrow('another process is using it')
  await opened.stop()
  rmSync(join(folder, 'log.db'))

  await expect(migrate()).rejects.toThrow('log.db')
  await expect(migrate({ from: temporaryFolder() })).rejects.toThrow('There is no data of Vigil')
  expect(eventsIn(fake)).toEqual([])
})

test('given an event that the server has otherwise, when it is compared, then the folder is not switched', async () => {
  await migrate()
  const changed = copyOfTemplate()
  const events = fake.log.events as unknown as { data: Uint8Array }[]
  const at = events.length - 2
  events[at] = { ...events[at], data: Buffer.from('{}') } as { data: Uint8Array }

  const again = migrate({ from: changed })

  await expect(again).rejects.toThrow(
    /does not have what was copied: it has (\d+) events, not the same \1\./,
  )
})
