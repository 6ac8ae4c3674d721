/** What `vigil migrate`, `vigil backup` and `vigil restore` do with keys that the MongoDB in MONGODB_URL keeps; the log is in a fake EventStoreDB or a folder. */

import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeBackup } from '../../src/service/operations/backup/makeBackup.ts'
import { restoreBackup } from '../../src/service/operations/backup/restoreBackup.ts'
import { migrateFolder } from '../../src/service/operations/migration/migrateFolder.ts'
import { restoreFolder } from '../../src/service/operations/restoreFolder.ts'
import { openKeyNames } from '../../src/stores/embedded/keyNames.ts'
import { openEmbeddedKeyStore } from '../../src/stores/embedded/keyStore.ts'
import { openLogReader } from '../../src/stores/embedded/logReader.ts'
import { keyCollection } from '../../src/stores/mongodb/keyDocuments.ts'
import { openMongoKeyStore } from '../../src/stores/mongodb/mongoKeyStore.ts'
import { openCli } from '../cli/support/openCli.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { startFakeEventStoreDb } from '../support/eventStoreDb/fakeServer.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'
import { mongoUrl, type NewDatabase, newDatabase } from './newDatabase.ts'

const clock = { nowMs: Date.now }
const chance = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
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

async function stop({ door, service }: Vigil): Promise<void> {
  await door.close()
  await service.close()
}

async function makeTemplate(): Promise<Template> {
  const vigil = await openVigil()
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('signal.existing_user')
  const evaluate = async (phone_number: string) =>
    String((await shop.evaluate(flow, { target: { phone_number } })).body['id'])
  const known = await evaluate('+33612345678')
  const erased = await evaluate('+33612345679')
  await stop(vigil)
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
  const keys = openEmbeddedKeyStore({ folder: path, masterKey: masterKeyOf(path), clock, chance })
  await keys.destroy(keysOfLast(path), Date.now())
  await keys.close()
}

/** The same where MongoDB keeps them. */
async function destroyInMongo(path: string, ids: readonly string[]): Promise<void> {
  const keys = await openMongoKeyStore({
    ...{ database: database.connect().database, masterKey: masterKeyOf(path), clock, chance },
    witnesses: { log: join(path, 'log.witness'), keys: join(path, 'keys.witness') },
  })
  await keys.destroy(ids, Date.now())
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

async function fakeEventStoreDb(): Promise<string> {
  const fake = await startFakeEventStoreDb()
  onTestFinished(fake.stop)
  return fake.url
}

interface Moving {
  readonly to?: string
  readonly signal?: AbortSignal
  readonly onProgress?: (step: string, done: number, of: number) => void
}

const migrate = (moving: Moving = {}) =>
  migrateFolder({
    ...{ ...long, from: folder, to: undefined, mongoDbUrl: database.url, clock },
    ...moving,
  })

const backUp = (source = folder) =>
  makeBackup({
    ...{ ...long, dataFolder: source, target: join(temporaryFolder(), 'monday'), clock },
    ...{ mongoDbUrl: database.url, withMasterKey: true },
  })

interface Restoring {
  readonly into: string
  readonly mongoDbUrl?: string | undefined
  readonly accept?: Partial<{ readonly log: boolean; readonly keys: boolean }>
}

const restore = (backup: string, { into, mongoDbUrl, accept }: Restoring) =>
  restoreBackup({
    ...{ ...long, backup, dataFolder: into, clock, chance, mongoDbUrl, masterKey: undefined },
    accept: { log: false, keys: false, ...accept },
  })

const countIn = ({ connect }: NewDatabase): Promise<number> =>
  connect().database.collection(keyCollection).countDocuments()

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

  test('given MONGODB_URL, when the commands are typed, then they say what has moved, what is in the backup and what to do next', async () => {
    const variables = { VIGIL_DATA: folder, MONGODB_URL: database.url }
    const cli = openCli(variables)
    onTestFinished(cli.close)

    const moved = await cli.run(['migrate'], { terminal: true })
    const target = join(cli.folder, 'monday')
    const made = await cli.run(['backup', target, '--with-master-key'], { terminal: true })
    const alone = { ...variables, VIGIL_DATA: temporaryFolder(), MONGODB_URL: newDatabase().url }
    const laidOut = await cli.run(['restore', target, '--json'], { variables: alone })

    expect(moved).toMatchObject({ code: 0, err: expect.stringContaining('Comparing keys') })
    expect(moved.out).toMatch(
      /^[\d,]+ sealing keys? and the record of 1 destroyed one of .* are in the database vigil-test-.* each agrees\.\nSHA-256 of both: [0-9a-f]{64}\n/,
    )
    expect(moved.out).toContain('Start the service with MONGODB_URL on the same data folder')
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/[\d,]+ keys? of .*whole/) })
    expect(laidOut.json()).toMatchObject({ laid_out: true, kept_keys: 0, losses: [] })
  })

  test('given a folder, when log and keys are moved, then the service goes on there with every person, and who was erased stays erased', async () => {
    const to = await fakeEventStoreDb()
    const before = openKeyNames(join(folder, 'keys.db'))
    const { keys, destroyed } = before.count()
    before.close()

    const migrated = await migrate({ to })

    expect(migrated.keys).toMatchObject({ keys, destroyed, digest: expect.any(String) })
    expect(destroyed).toBeGreaterThan(0)
    expect(readdirSync(folder)).not.toContain('keys.db')
    expect(existsSync(migrated.keys?.movedTo ?? '')).toBe(true)
    const opened = await openVigil({ folder, eventStoreUrl: to, mongoDbUrl: database.url })
    await expectWholeOn(opened)
    const next = await evaluateOn(opened, '+33612345680')
    const again = await opened.restart()
    expect(await evaluationOn(again, next)).toContain('+33612345680')
    await stop(again)
    await expect(openVigil({ folder, eventStoreUrl: to })).rejects.toThrow('set MONGODB_URL')
    await expect(migrate({ to })).rejects.toThrow(/EventStoreDB already\. The sealing keys/)
  })

  test('given keys alone that are moved, then the log stays; and given that log is moved later, then MongoDB builds its read models again', async () => {
    const moved = await migrate()
    const first = await openVigil({ folder, mongoDbUrl: database.url })
    await expectWholeOn(first)
    await stop(first)
    const to = await fakeEventStoreDb()

    const later = await migrate({ to })

    expect(moved).toMatchObject({ log: undefined, keys: { movedTo: expect.any(String) } })
    expect(later).toMatchObject({ log: { events: expect.any(Number) }, keys: undefined })
    const second = await openVigil({ folder, eventStoreUrl: to, mongoDbUrl: database.url })
    await expectWholeOn(second)
    await stop(second)
  })

  test('given an end at any step, when the same is given again, then it comes to its end', async () => {
    const steps: string[] = []
    await migrateFolder({
      ...{ ...long, from: folder, to: await fakeEventStoreDb(), clock },
      mongoDbUrl: newDatabase().url,
      onProgress: (step) => steps.push(step),
    })
    const ends = steps.flatMap((step, index) => (step === steps[index - 1] ? [] : [index]))
    expect(ends).toHaveLength(4)
    for (const end of ends) {
      const copy = temporaryFolder()
      cpSync(template.folder, copy, { recursive: true })
      const target = { to: await fakeEventStoreDb(), mongoDbUrl: newDatabase().url }
      const stopping = new AbortController()
      let step = 0
      const one = migrateFolder({
        ...{ ...long, ...target, from: copy, clock, signal: stopping.signal },
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
      const whole = existsSync(join(copy, 'keys.elsewhere'))
      if (!whole) await migrateFolder({ ...long, ...target, from: copy, clock })

      const opened = await openVigil({
        ...{ folder: copy, eventStoreUrl: target.to, mongoDbUrl: target.mongoDbUrl },
      })
      await expectWholeOn(opened)
      await stop(opened)
    }
  })

  test('given an end while the folder is switched, then no service starts on half of it, and the same again brings it to its end', async () => {
    const to = await fakeEventStoreDb()
    const { log, keys } = await migrate({ to })
    renameSync(log?.movedTo ?? '', join(folder, 'log.db'))
    renameSync(keys?.movedTo ?? '', join(folder, 'keys.db'))

    await expect(openVigil({ folder })).rejects.toThrow('set EVENTSTORE_URL')
    await expect(openVigil({ folder, eventStoreUrl: to })).rejects.toThrow(
      'Run vigil migrate again',
    )
    renameSync(join(folder, 'log.db'), log?.movedTo ?? '')
    const both = { folder, eventStoreUrl: to, mongoDbUrl: database.url }
    await expect(openVigil(both)).rejects.toThrow('Run vigil migrate again')
    renameSync(log?.movedTo ?? '', join(folder, 'log.db'))
    const again = await migrate({ to })

    expect(again.keys?.digest).toBe(keys?.digest)
    const opened = await openVigil(both)
    await expectWholeOn(opened)
    await stop(opened)
  })

  test('given a database of another Vigil, or an older copy of the keys, then nothing is written, and the folder starts as before', async () => {
    const other = await openVigil({ mongoDbUrl: database.url })
    await stop(other)
    const count = await countIn(database)

    await expect(migrate()).rejects.toThrow(/other sealing keys|of another Vigil/)
    expect(await countIn(database)).toBe(count)

    database = newDatabase()
    const copy = temporaryFolder()
    cpSync(template.folder, copy, { recursive: true })
    await destroyLast(copy)
    cpSync(join(copy, 'keys.witness'), join(folder, 'keys.witness'))
    await expect(migrate()).rejects.toThrow('it is not the newest')
    expect(await countIn(database)).toBe(0)

    cpSync(join(template.folder, 'keys.witness'), join(folder, 'keys.witness'))
    const opened = await openVigil({ folder })
    await expectWholeOn(opened)
    await stop(opened)
  })

  test('given keys in MongoDB, when it is backed up while the service runs, then the backup holds them, and starts in an empty folder, and on an empty database', async () => {
    await migrate()
    const vigil = await openVigil({ folder, mongoDbUrl: database.url })
    const { backup, manifest, lackingKeys } = await backUp()
    const next = await evaluateOn(vigil, '+33612345680')
    await stop(vigil)
    expect(lackingKeys).toBe(0)
    expect(manifest).toMatchObject({ log: { events: expect.any(Number) }, keys: { destroyed: 1 } })

    const alone = temporaryFolder()
    await restore(backup, { into: alone })
    const embedded = await openVigil({ folder: alone })
    await expectWholeOn(embedded)
    expect(await evaluationOn(embedded, next)).toContain('not_found')
    await stop(embedded)

    const [into, mongoDbUrl] = [temporaryFolder(), newDatabase().url]
    const restored = await restore(backup, { into, mongoDbUrl })
    expect(restored.laidOut?.keptKeys).toEqual({ added: 0, destroyed: 0 })
    expect(readdirSync(into)).not.toContain('keys.db')
    const onMongo = await openVigil({ folder: into, mongoDbUrl })
    await expectWholeOn(onMongo)
    await evaluateOn(onMongo, '+33612345681')
    await stop(onMongo)
    await expect(openVigil({ folder: into })).rejects.toThrow('set MONGODB_URL')
  })

  test('given MONGODB_URL is not set, when a folder whose keys are there is backed up or moved, then it says what to set', async () => {
    await migrate()

    const without = makeBackup({
      ...{ ...long, dataFolder: folder, target: join(temporaryFolder(), 'monday'), clock },
      withMasterKey: false,
    })
    await expect(without).rejects.toThrow('set MONGODB_URL to it')
    const to = await fakeEventStoreDb()
    const moving = migrateFolder({ ...long, from: folder, to, clock })
    await expect(moving).rejects.toThrow('set MONGODB_URL to it')
  })

  test('given an older backup over what stands there, then what it lacks is said; and once that was meant, newer keys stay, nobody erased comes back, and read models are built again', async () => {
    await migrate()
    const vigil = await openVigil({ folder, mongoDbUrl: database.url })
    const { backup } = await backUp()
    // so many that keys are made which the backup has not
    for (let number = 0; number < 140; number += 1) {
      await evaluateOn(vigil, `+33612346${String(number).padStart(3, '0')}`)
    }
    const lost = await evaluateOn(vigil, '+33612345680')
    await stop(vigil)
    const { known } = template
    const subject = await keysOfEvaluation(folder, known)
    await destroyInMongo(folder, subject)

    const said = await restore(backup, { into: folder, mongoDbUrl: database.url })
    expect(said.lack?.text).toContain('events that the backup lacks')
    expect(said.laidOut).toBeUndefined()
    const meant = await restore(backup, {
      ...{ into: folder, mongoDbUrl: database.url, accept: { log: true } },
    })

    expect(meant.laidOut?.keptKeys).toMatchObject({ destroyed: subject.length })
    expect(meant.laidOut?.keptKeys?.added).toBeGreaterThan(0)
    const opened = await openVigil({ folder, mongoDbUrl: database.url })
    expect(await evaluationOn(opened, known)).toContain('forgotten')
    expect(await evaluationOn(opened, lost)).toContain('not_found')
    await expectListed(opened, [known, template.erased])
    await stop(opened)
  })

  test('given the log of the folder is an older copy, when the loss is accepted, then MongoDB builds its read models again without what is lost', async () => {
    await migrate()
    const older = temporaryFolder()
    cpSync(join(folder, 'log.db'), join(older, 'log.db'))
    const vigil = await openVigil({ folder, mongoDbUrl: database.url })
    const lost = await evaluateOn(vigil, '+33612345680')
    await expectListed(vigil, [template.known, template.erased, lost])
    await stop(vigil)
    for (const beside of ['-wal', '-shm']) rmSync(join(folder, `log.db${beside}`), { force: true })
    cpSync(join(older, 'log.db'), join(folder, 'log.db'))
    const restoring = (log: boolean) =>
      restoreFolder({
        ...{ dataFolder: folder, mongoDbUrl: database.url, masterKey: undefined, clock, chance },
        accept: { log, keys: false },
      })

    const said = await restoring(false)
    expect(said.losses).toMatchObject([
      { of: 'log', text: expect.stringContaining('the read models in MongoDB') },
    ])
    await expect(openVigil({ folder, mongoDbUrl: database.url })).rejects.toThrow('--accept-loss')
    await restoring(true)

    const opened = await openVigil({ folder, mongoDbUrl: database.url })
    await expectListed(opened, [template.known, template.erased])
    await stop(opened)
  })

  test('given the keys of MongoDB are lost, when a backup of keys is laid out, then the persons are there again', async () => {
    const to = await fakeEventStoreDb()
    await migrate({ to })
    const { backup, manifest } = await backUp()
    expect(manifest.log).toBeUndefined()
    await database.connect().database.dropDatabase()
    const refused = openVigil({ folder, eventStoreUrl: to, mongoDbUrl: database.url })
    await expect(refused).rejects.toThrow('there are none, and with them the keys')

    await restore(backup, { into: folder, mongoDbUrl: database.url })

    const opened = await openVigil({ folder, eventStoreUrl: to, mongoDbUrl: database.url })
    await expectWholeOn(opened)
    await stop(opened)
  })

  test('given keys in MongoDB of another master key, when a backup is laid out, then it is refused and nothing was changed', async () => {
    await migrate()
    const { backup } = await backUp()
    const other = newDatabase()
    await stop(await openVigil({ mongoDbUrl: other.url }))
    const count = await countIn(other)

    const refused = restore(backup, { into: temporaryFolder(), mongoDbUrl: other.url })

    await expect(refused).rejects.toThrow('were made under another master key than those of the')
    expect(await countIn(other)).toBe(count)
  })
})

/** The keys that the record of a verdict is sealed under. */
async function keysOfEvaluation(path: string, id: string): Promise<readonly string[]> {
  const log = openLogReader(join(path, 'log.db'))
  const [event] = log.readStream(`evaluation-${id}`, { from: 0, limit: 1 })
  log.close()
  const { subjects } = JSON.parse(event?.metadata ?? '') as { subjects: { key: string }[] }
  return subjects.map(({ key }) => key)
}
