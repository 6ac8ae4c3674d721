import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decode } from '../../src/events/catalogue.ts'
import { restoreFolder } from '../../src/service/operations/restoreFolder.ts'
import { openEmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { crashedCopy } from '../support/crashedCopy.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const chance = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }

/** A Vigil in use, and what it would leave behind if it were killed now. */
let vigil: Vigil
let shop: Customer
let flow = ''
let kept = ''
let crashed = ''

beforeEach(async () => {
  vigil = await openVigil()
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('signal.existing_user')
  kept = String((await shop.evaluate(flow)).body['id'])
  vigil = await vigil.restart()
})

afterEach(async () => {
  await vigil.close()
  rmSync(crashed, { recursive: true, force: true })
})

/** What a kill leaves of everything there is now. */
function crash(): string {
  crashed = crashedCopy(vigil.folder)
  return crashed
}

const restore = (acceptLoss: boolean, dataFolder = crashed) =>
  restoreFolder({ dataFolder, acceptLoss, clock: { nowMs: () => nowMs }, chance })

async function evaluateOn(opened: Vigil): Promise<string> {
  const answer = await opened.door.request<{ id: string }>('POST', '/v2/watch/eval', {
    token: shop.token,
    body: { flow_id: flow, target: { phone_number: '+33612345678' } },
  })
  return answer.body.id
}

const seenOn = async (opened: Vigil, id: string): Promise<number> =>
  (await opened.door.request('GET', `/v2/watch/evaluations/${id}`, { token: shop.token })).status

test('given a whole folder, when restored, then nothing is missing and nothing is written', async () => {
  await evaluateOn(vigil)
  crash()

  expect(restore(true)).toEqual({ folder: crashed, losses: [] })
})

test('given verdicts lost with the -wal file, when started, then it is refused, and again after a look', async () => {
  await evaluateOn(vigil)
  rmSync(join(crash(), 'log.db-wal'))

  const found = restore(false)

  expect(found.losses).toEqual([
    expect.stringMatching(/^log\.db: it ends at position \d+ .*missing$/),
  ])
  expect(found.recorded_at).toBeUndefined()
  await expect(openVigil({ folder: crashed })).rejects.toThrow(/are missing\. Nothing was changed/)
})

test('given an accepted loss, when started, then what was kept is served and goes on, and the log says what was lost', async () => {
  const lost = await evaluateOn(vigil)
  rmSync(join(crash(), 'log.db-wal'))

  const { recorded_at } = restore(true)
  const restored = await openVigil({ folder: crashed })

  expect(await seenOn(restored, kept)).toBe(200)
  expect(await seenOn(restored, lost)).toBe(404)
  const next = await evaluateOn(restored)
  expect(await seenOn(restored, next)).toBe(200)
  await restored.door.close()
  await restored.service.close()
  expect(await eventAt(Number(recorded_at))).toMatchObject({
    stream: 'installation-losses',
    event: {
      type: 'LogLossAccepted',
      data: {
        missing: { last: Number(recorded_at) - 1 },
        proven_by: ['log.witness', 'views.db'],
      },
    },
    metadata: { actor: 'operator', time: nowMs },
  })
})

test('given a folder whose log is gone, when accepted, then it starts, and nobody takes it for a new one', async () => {
  crash()
  for (const name of readdirSync(crashed)) {
    if (/^log\.db/.test(name)) rmSync(join(crashed, name))
  }

  const { losses, recorded_at } = restore(true)
  const restored = await openVigil({ folder: crashed })

  expect(losses).toEqual([expect.stringContaining('it is empty or gone')])
  expect(Number(recorded_at)).toBeGreaterThan(10)
  expect(restored.isNew).toBe(false)
  expect((await restored.door.request('GET', '/health/ready')).status).toBe(200)
  await restored.door.close()
  await restored.service.close()
})

test('given a loss, when accepted twice, then it is recorded once', async () => {
  await evaluateOn(vigil)
  rmSync(join(crash(), 'log.db-wal'))

  expect(restore(true).recorded_at).toBeDefined()
  expect(restore(true)).toEqual({ folder: crashed, losses: [] })
})

test('given a folder in use, when restored, then it is refused', () => {
  expect(() => restore(true, vigil.folder)).toThrow(/another process is using it/)
})

test('given a folder without data, when restored, then it is named and stays empty', () => {
  const empty = temporaryFolder()
  mkdirSync(join(empty, 'other'))

  expect(() => restore(true, empty)).toThrow(`There is no data of Vigil in ${empty}.`)
  expect(() => restore(true, join(empty, 'none'))).toThrow('There is no data')
  expect(readdirSync(empty)).toEqual(['other'])
  expect(existsSync(join(empty, 'none'))).toBe(false)
})

async function eventAt(position: number) {
  const store = await openEmbeddedEventStore({ folder: crashed, thread: 'caller' })
  const [event] = await store.readAll({ after: position - 1, limit: 1 })
  await store.close()
  return event && decode(event)
}
