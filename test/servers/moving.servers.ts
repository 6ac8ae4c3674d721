/** What `vigil migrate` and `vigil restore` do with the MongoDB in MONGODB_URL and a fake EventStoreDB. */

import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openEmbeddedKeyStore } from '../../src/stores/embedded/embeddedKeyStore.ts'
import { openLogReader } from '../../src/stores/embedded/logReader.ts'
import { keyCollection } from '../../src/stores/mongodb/mongoKeyStore.ts'
import { type AcceptLossOptions, acceptFolderLosses } from '../../src/stores/transfer/acceptLoss.ts'
import { migrateFolder } from '../../src/stores/transfer/migrateFolder.ts'
import type { ServerUrls } from '../../src/stores/transfer/serverStores.ts'
import { openCli } from '../cli/support/openCli.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { caughtUp } from '../support/caughtUp.ts'
import { type FakeEventStoreDb, startFakeEventStoreDb } from '../support/eventStoreDb/fakeServer.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'
import { mongoUrl, type NewDatabase, newDatabase } from './newDatabase.ts'

const clock = { nowMs: Date.now }
const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
const long = { signal: new AbortController().signal, onProgress: () => undefined }

/** A stopped service on a folder: verdicts on two persons, of whom the second is erased. */
interface Template {
  readonly folder: string
  readonly shop: Customer
  readonly flow: string
  readonly known: string
  readonly erased: string
}

let template: Template
/** A copy of it, and an empty database. */
let folder = ''
let database: NewDatabase

async function makeTemplate(): Promise<Template> {
  const vigil = await openVigil()
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('signal.existing_user')
  const evaluate = async (phone_number: string) =>
    String((await shop.evaluate(flow, { target: { phone_number } })).body['id'])
  const known = await evaluate('+33612345678')
  const erased = await evaluate('+33612345679')
  await vigil.stop()
  await destroyLast(vigil.folder)
  return { folder: vigil.folder, shop, flow, known, erased }
}

function keysOfLast(path: string): readonly string[] {
  const log = openLogReader(join(path, 'log.db'))
  const [last] = log.readTail(1)
  log.close()
  const { subjects } = JSON.parse(last?.metadata ?? '') as { subjects: { key: string }[] }
  return subjects.map(({ key }) => key)
}

const masterKeyOf = (path: string): Uint8Array =>
  Buffer.from(readFileSync(join(path, 'master.key'), 'utf8').trim(), 'hex')

/** What an erasure does to the keys of a folder. */
async function destroyLast(path: string): Promise<void> {
  const keys = openEmbeddedKeyStore({ folder: path, masterKey: masterKeyOf(path), clock, random })
  await keys.destroy(keysOfLast(path), Date.now())
  await keys.close()
}

const evaluationOn = async (opened: Vigil, id: string): Promise<string> => {
  const { token } = template.shop
  return (await opened.door.request('GET', `/v2/watch/evaluations/${id}`, { token })).text
}

async function listedOn({ door }: Vigil): Promise<readonly string[] | undefined> {
  const { token } = template.shop
  const path = '/v2/watch/evaluations?limit=100'
  const { body } = await door.request<{ evaluations?: { id: string }[] }>('GET', path, { token })
  return body.evaluations?.map(({ id }) => id).toSorted()
}

/** Lists are refused until they have been built again. */
async function expectListed(opened: Vigil, ids: readonly string[]): Promise<void> {
  const look = async () => expect(await listedOn(opened)).toEqual(ids.toSorted())
  await vi.waitFor(look, { timeout: 60_000, interval: 200 })
}

async function expectWholeOn(opened: Vigil): Promise<void> {
  const { known, erased, shop } = template
  expect(await evaluationOn(opened, known)).toContain('+33612345678')
  expect(await evaluationOn(opened, erased)).toContain('forgotten')
  await expectListed(opened, [known, erased])
  const replayed = await opened.door.request<Record<string, unknown>>(
    'POST',
    `/v2/watch/evaluations/${known}/replay`,
    { token: shop.token },
  )
  expect(replayed.body['result']).toBe('MATCH')
}

const evaluateOn = async ({ door }: Vigil, phone_number: string): Promise<string> => {
  const { shop, flow } = template
  const answer = await door.request<{ id: string }>('POST', '/v2/watch/eval', {
    token: shop.token,
    body: { flow_id: flow, target: { phone_number } },
  })
  expect(answer.status).toBe(200)
  return answer.body.id
}

interface Moving {
  readonly servers?: ServerUrls
  readonly signal?: AbortSignal
  readonly onProgress?: (step: string, done: number, of: number) => void
}

async function newServers(): Promise<ServerUrls & { readonly fake: FakeEventStoreDb }> {
  const fake = await startFakeEventStoreDb()
  onTestFinished(fake.stop)
  return { fake, eventStoreUrl: fake.url, mongoDbUrl: database.url }
}

const migrate = (servers: ServerUrls, moving: Moving = {}) =>
  migrateFolder({ ...long, servers, from: folder, ...moving })

const countIn = ({ connect }: NewDatabase): Promise<number> =>
  connect().database.collection(keyCollection).countDocuments()

const restoring = (servers: ServerUrls, accept: Partial<AcceptLossOptions['accept']> = {}) =>
  acceptFolderLosses({
    ...{ dataFolder: folder, servers, masterKey: undefined, clock, random },
    accept: { log: false, keys: false, ...accept },
  })

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  beforeAll(async () => {
    template = await makeTemplate()
  })
  afterAll(() => rmSync(template.folder, { recursive: true, force: true }))
  beforeEach(() => {
    folder = temporaryFolder()
    cpSync(template.folder, folder, { recursive: true })
    database = newDatabase()
  })

  test('given both servers, when the command is typed, then it says what has moved and what to do next', async () => {
    const { eventStoreUrl, mongoDbUrl } = await newServers()
    const variables = { VIGIL_DATA: folder, EVENTSTORE_URL: eventStoreUrl, MONGODB_URL: mongoDbUrl }
    const cli = openCli(variables)
    onTestFinished(cli.close)

    const moved = await cli.run(['migrate'], { terminal: true })
    const backup = await cli.run(['backup', join(cli.folder, 'monday')])

    expect(moved).toMatchObject({ code: 0, err: expect.stringContaining('Comparing keys') })
    expect(moved.out).toMatch(
      /[\d,]+ sealing keys? and the record of 1 destroyed one of .* are in the MongoDB: each agrees\.\nSHA-256 of both: [0-9a-f]{64}\n/,
    )
    expect(moved.out).toContain('Start the service with EVENTSTORE_URL and MONGODB_URL')
    expect(backup).toMatchObject({ code: 2, err: expect.stringContaining('by their own means') })
  })

  test('given a folder, when log and keys are moved, then the service goes on there with every person, and who was erased stays erased', async () => {
    const servers = await newServers()

    const migrated = await migrate(servers)

    expect(migrated.keys).toMatchObject({ destroyed: 1, digest: expect.any(String) })
    expect(await countIn(database)).toBe(migrated.keys.keys + 1)
    const opened = await openVigil({ folder, ...servers })
    await expectWholeOn(opened)
    const next = await evaluateOn(opened, '+33612345680')
    const again = await opened.restart()
    expect(await evaluationOn(again, next)).toContain('+33612345680')
    await again.stop()
    await expect(openVigil({ folder })).rejects.toThrow('Set EVENTSTORE_URL and MONGODB_URL')
    await expect(migrate(servers)).rejects.toThrow('are kept by servers already')
  })

  test('given an end at any step, when the same is given again, then it comes to its end', async () => {
    const steps: string[] = []
    await migrate(await newServers(), { onProgress: (step) => steps.push(step) })
    const ends = steps.flatMap((step, index) => (step === steps[index - 1] ? [] : [index]))
    expect(ends).toHaveLength(4)
    for (const end of ends) {
      folder = temporaryFolder()
      cpSync(template.folder, folder, { recursive: true })
      database = newDatabase()
      const servers = await newServers()
      const stopping = new AbortController()
      let step = 0
      const one = migrate(servers, {
        signal: stopping.signal,
        onProgress: () => {
          if (step === end) stopping.abort(new Error('killed'))
          step += 1
        },
      })
      // the last step has nothing behind it that could be ended
      await one.then(
        () => undefined,
        (error: Error) => expect(error.message).toBe('killed'),
      )
      if (!existsSync(join(folder, 'on-servers'))) await migrate(servers)

      const opened = await openVigil({ folder, ...servers })
      await expectWholeOn(opened)
      await opened.stop()
    }
  })

  test('given a database of another Vigil, or an older copy of the keys, then nothing is written there, and the folder starts as before', async () => {
    const other = await openVigil({ mongoDbUrl: database.url })
    await openCustomer(other)
    await caughtUp(other.service)
    await other.stop()
    const count = await countIn(database)

    await expect(migrate(await newServers())).rejects.toThrow(/of another Vigil/)
    expect(await countIn(database)).toBe(count)

    database = newDatabase()
    const copy = temporaryFolder()
    cpSync(template.folder, copy, { recursive: true })
    await destroyLast(copy)
    cpSync(join(copy, 'stores.witness'), join(folder, 'stores.witness'))
    await expect(migrate(await newServers())).rejects.toThrow('it is not the newest')
    expect(await countIn(database)).toBe(0)

    cpSync(join(template.folder, 'stores.witness'), join(folder, 'stores.witness'))
    const opened = await openVigil({ folder })
    await expectWholeOn(opened)
    await opened.stop()
  })

  test('given the server of the log goes on with an older copy, or another one is named, then no service starts, and when the loss is accepted it goes on with what is there', async () => {
    const servers = await newServers()
    await migrate(servers)
    const vigil = await openVigil({ folder, ...servers })
    const before = servers.fake.log.events.length
    const lost = await evaluateOn(vigil, '+33612345680')
    await expectListed(vigil, [template.known, template.erased, lost])
    await vigil.stop()
    const other = { ...servers, eventStoreUrl: (await newServers()).eventStoreUrl }
    await expect(openVigil({ folder, ...other })).rejects.toThrow('that it does not have')
    servers.fake.log.truncate(servers.fake.log.events.length - before)

    const said = await restoring(servers)
    await expect(openVigil({ folder, ...servers })).rejects.toThrow('vigil restore --accept-loss')
    const accepted = await restoring(servers, { log: true })

    const text = expect.stringMatching(
      /^the log that EVENTSTORE_URL leads to: .* by the read models in MongoDB .* are missing$/,
    )
    expect(said.losses).toEqual([{ of: 'log', text }])
    expect(accepted.losses).toEqual([{ of: 'log', text, recorded_at: expect.any(String) }])
    const opened = await openVigil({ folder, ...servers })
    await expectListed(opened, [template.known, template.erased])
    const { token } = template.shop
    const { body } = await opened.door.request<{ losses: unknown[] }>(
      ...(['GET', '/v2/watch/losses', { token }] as const),
    )
    expect(body.losses).toMatchObject([{ lost: 'events' }])
    await opened.stop()
    expect((await restoring(servers)).losses).toEqual([])
  })

  test('given the database of the keys is gone, then no service starts, and when the loss is accepted it goes on with new keys', async () => {
    const servers = await newServers()
    await migrate(servers)
    await database.connect().database.dropDatabase()
    const refused = openVigil({ folder, ...servers })
    await expect(refused).rejects.toThrow('there are none, and with them the keys')

    const looked = await restoring(servers)
    const accepted = await restoring(servers, { keys: true })

    expect(looked.losses).toMatchObject([{ of: 'keys', text: expect.stringContaining('MongoDB') }])
    expect(accepted.losses).toMatchObject([{ of: 'keys', recorded_at: expect.any(String) }])
    await (await openVigil({ folder, ...servers })).stop()
  })
})
