import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { restoreFolder } from '../../src/service/operations/restoreFolder.ts'
import { fakeForTest } from '../stores/support/fakeUnderTest.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { eventually } from '../support/eventually.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)

interface Lost {
  readonly folder: string
  readonly url: string
  readonly shop: Customer
  readonly kept: string
  readonly gone: string
}

/** A service whose server goes on with an older copy of its log: the last verdict is not in it. */
async function loseTheEnd(): Promise<Lost> {
  const fake = await fakeForTest()
  const folder = temporaryFolder()
  const vigil = await openVigil({ folder, eventStoreUrl: fake.url })
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('signal.existing_user')
  const kept = String((await shop.evaluate(flow)).body['id'])
  const before = fake.log.events.length
  const target = { phone_number: '+33612345679' }
  const gone = String((await shop.evaluate(flow, { target })).body['id'])
  await stop(vigil)
  fake.log.truncate(fake.log.events.length - before)
  return { folder, url: fake.url, shop, kept, gone }
}

async function stop({ door, service }: Vigil): Promise<void> {
  await door.close()
  await service.close()
}

const restore = (
  { folder, url }: Pick<Lost, 'folder'> & { readonly url: string | undefined },
  accept: Partial<{ readonly log: boolean; readonly keys: boolean }> = {},
) =>
  restoreFolder({
    dataFolder: folder,
    eventStoreUrl: url,
    masterKey: undefined,
    accept: { log: false, keys: false, ...accept },
    clock: { nowMs: () => nowMs },
    chance: { bytes: (count) => new Uint8Array(randomBytes(count)) },
  })

const ask = (opened: Vigil, { shop }: Lost, path: string) =>
  opened.door.request<Record<string, unknown>>('GET', path, { token: shop.token })

test('given a server with an older copy of its log, when it is looked at, then the loss is said, and the service stays refused', async () => {
  const lost = await loseTheEnd()

  const { losses } = await restore(lost)

  expect(losses).toEqual([
    {
      of: 'log',
      text: expect.stringMatching(
        /^the log that EVENTSTORE_URL leads to: it ends at position \d+ .* but by log\.witness.* are missing$/,
      ),
    },
  ])
  const opening = openVigil({ folder: lost.folder, eventStoreUrl: lost.url })
  await expect(opening).rejects.toThrow(/that it does not have.*vigil restore --accept-loss/)
})

test('given the loss is accepted, when the service starts, then it goes on with what is there, and the log says what was lost', async () => {
  const lost = await loseTheEnd()

  const { losses } = await restore(lost, { log: true })
  const opened = await openVigil({ folder: lost.folder, eventStoreUrl: lost.url })
  // the read models are built anew from what the server has
  await eventually(async () => (await opened.service.readiness()).ready)

  expect(losses).toMatchObject([{ of: 'log', recorded_at: expect.any(String) }])
  expect((await ask(opened, lost, `/v2/watch/evaluations/${lost.kept}`)).status).toBe(200)
  expect((await ask(opened, lost, `/v2/watch/evaluations/${lost.gone}`)).status).toBe(404)
  const listed = await ask(opened, lost, '/v2/watch/evaluations?limit=100')
  expect((listed.body['evaluations'] as unknown[]).length).toBe(1)
  const accepted = await ask(opened, lost, '/v2/watch/losses')
  expect(accepted.body['losses']).toMatchObject([
    { lost: 'events', last_seen_at: expect.any(String) },
  ])
  await stop(opened)
  expect((await restore(lost)).losses).toEqual([])
})

test('given nothing is lost, when it is looked at, then nothing is written', async () => {
  const fake = await fakeForTest()
  const folder = temporaryFolder()
  await stop(await openVigil({ folder, eventStoreUrl: fake.url }))
  const before = fake.log.events.length

  expect((await restore({ folder, url: fake.url }, { log: true, keys: true })).losses).toEqual([])
  expect(fake.log.events).toHaveLength(before)
})

test('given keys that are lost beside a log on a server, when that is accepted, then the server has it on record, and the service starts', async () => {
  const lost = await loseTheEnd()
  await restore(lost, { log: true })
  for (const name of ['keys.db', 'keys.db-wal', 'keys.db-shm']) {
    rmSync(join(lost.folder, name), { force: true })
  }

  const looked = await restore(lost)
  const accepted = await restore(lost, { keys: true })

  expect(looked.losses).toMatchObject([{ of: 'keys', text: expect.stringContaining('keys.db') }])
  expect(accepted.losses).toMatchObject([{ of: 'keys', recorded_at: expect.any(String) }])
  await stop(await openVigil({ folder: lost.folder, eventStoreUrl: lost.url }))
})

test('given no server is named, when the folder says that one keeps the log, then it is refused with what to set', async () => {
  const { folder } = await loseTheEnd()

  await expect(restore({ folder, url: undefined })).rejects.toThrow('set EVENTSTORE_URL')
})
