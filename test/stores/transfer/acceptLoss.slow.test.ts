import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { decode } from '../../../src/events/catalogue.ts'
import { openMetrics } from '../../../src/metrics/openMetrics.ts'
import { openEmbeddedEventStore } from '../../../src/stores/embedded/embeddedEventStore.ts'
import { openDatabase } from '../../../src/stores/embedded/sqlite.ts'
import { acceptFolderLosses } from '../../../src/stores/transfer/acceptLoss.ts'
import { crashedCopy } from '../../support/crashedCopy.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../../support/openVigil.ts'
import { projectedHead } from '../../support/projectedHead.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }

/** What a kill leaves of an installation that has recorded two verdicts, the later one in the -wal file alone. */
let template = ''
let customer: Customer
let flow = ''
let kept = ''
let lost = ''
/** A copy of it. */
let crashed = ''

beforeAll(async () => {
  const vigil = await openVigil()
  customer = await openCustomer(vigil)
  flow = await customer.flowOf('signal.existing_user')
  kept = await evaluateOn(vigil, '+33612345678')
  const again = await vigil.restart()
  lost = await evaluateOn(again, '+33612345679')
  // the read models prove the later one, too
  await projectedHead(again)
  template = crashedCopy(again.folder)
  await again.close()
})

afterAll(() => rmSync(template, { recursive: true, force: true }))

beforeEach(() => {
  crashed = crashedCopy(template)
})

afterEach(() => rmSync(crashed, { recursive: true, force: true }))

const restore = (...accepted: readonly ('log' | 'keys')[]) => restoreIn(crashed, accepted)

const restoreIn = (dataFolder: string, accepted: readonly ('log' | 'keys')[]) =>
  acceptFolderLosses({
    dataFolder,
    masterKey: undefined,
    accept: { log: accepted.includes('log'), keys: accepted.includes('keys') },
    clock: { nowMs: () => nowMs },
    random,
  })

/** What the crashed folder says when it is started; undefined when it starts. */
async function refusal(): Promise<string | undefined> {
  try {
    await (await openVigil({ folder: crashed })).stop()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** What an auditor of the account is shown. */
async function lossesOn(opened: Vigil): Promise<readonly Record<string, unknown>[]> {
  const { body } = await opened.door.request<{ losses: Record<string, unknown>[] }>(
    'GET',
    '/v2/watch/losses',
    { token: customer.token },
  )
  return body.losses
}

function remove(pattern: RegExp): void {
  for (const name of readdirSync(crashed)) {
    if (pattern.test(name)) rmSync(join(crashed, name))
  }
}

async function evaluateOn(opened: Vigil, phone_number: string): Promise<string> {
  const answer = await opened.door.request<{ id: string }>('POST', '/v2/watch/eval', {
    token: customer.token,
    body: { flow_id: flow, target: { phone_number } },
  })
  return answer.body.id
}

const seenOn = async (opened: Vigil, id: string): Promise<number> =>
  (await opened.door.request('GET', `/v2/watch/evaluations/${id}`, { token: customer.token }))
    .status

test('given a log that is no database, when started, then the way on without a backup is said, and it works', async () => {
  writeFileSync(join(crashed, 'log.db'), 'no database at all '.repeat(300))

  const refused = await refusal()
  remove(/^log\.db/)
  const [loss] = (await restore('log')).losses

  expect(refused).toMatch(/log\.db: .*without one, move log\.db, .*vigil restore --accept-loss\.$/)
  expect(loss?.text).toMatch(/log\.db: it is empty or gone, but by /)
  expect(await refusal()).toBeUndefined()
})

test('given a whole folder, when restored, then nothing is missing and nothing is written', async () => {
  expect(await restore('log', 'keys')).toEqual({ folder: crashed, losses: [] })
})

describe('a log that has lost its end', () => {
  test('given verdicts lost with the -wal file, when started, then it is refused, and again after a look', async () => {
    remove(/^log\.db-wal/)

    const { losses } = await restore('keys')

    expect(losses).toEqual([
      { of: 'log', text: expect.stringMatching(/log\.db: it ends at position \d+, .*missing$/) },
    ])
    expect(await refusal()).toMatch(/are missing\. Nothing was changed/)
  })

  test('given an accepted loss, when started, then what was kept is served and goes on, and the log says what was lost', async () => {
    remove(/^log\.db-wal/)

    const recordedAt = Number((await restore('log')).losses[0]?.recorded_at)
    const restored = await openVigil({ folder: crashed })

    expect(await seenOn(restored, kept)).toBe(200)
    expect(await seenOn(restored, lost)).toBe(404)
    const [loss, ...others] = await lossesOn(restored)
    expect(others).toEqual([])
    expect(loss).toMatchObject({
      lost: 'events',
      accepted_at: '2026-01-02T03:04:05.000Z',
      position: String(recordedAt),
      kept_position: String(recordedAt - 1),
      first_position: String(recordedAt),
    })
    const next = await evaluateOn(restored, '+33612345680')
    expect(await seenOn(restored, next)).toBe(200)
    await restored.stop()
    expect(await eventAt(recordedAt)).toMatchObject({
      stream: 'installation-losses',
      event: {
        type: 'LogLossAccepted',
        data: {
          missing: { first: recordedAt },
          proven_by: expect.arrayContaining(['stores.witness', 'views.db']),
        },
      },
      metadata: { actor: 'operator', time: nowMs },
    })
  })

  test.each([
    ['the log', /^log\.db/],
    ['the file of the log alone', /^log\.db$/],
    ['the log and its witness', /^(log|stores)\./],
  ])(
    'given %s gone, when started, then it is refused; when accepted, nobody takes the folder for a new one',
    async (_, pattern) => {
      remove(pattern)

      expect(await refusal()).toContain('log.db: it is empty or gone, but by ')
      const { losses } = await restore('log')
      const restored = await openVigil({ folder: crashed })

      expect(losses).toMatchObject([{ of: 'log', recorded_at: '1' }])
      expect(restored.isNew).toBe(false)
      expect((await restored.door.request('GET', '/health/ready')).status).toBe(200)
      await restored.stop()
    },
  )

  test('given a loss, when accepted twice, then it is recorded once', async () => {
    remove(/^log\.db-wal/)

    expect((await restore('log')).losses).toHaveLength(1)
    expect((await restore('log')).losses).toEqual([])
  })
})

describe('sealing keys that are lost', () => {
  interface LostKeys {
    readonly what: string
    readonly lose: () => void
    readonly sentence: RegExp
    readonly recorded: object
  }

  const set_aside = 'keys.db.lost-20260102T030405000Z'
  const gone = {
    sentence: /keys\.db: it is gone, and with it the keys/,
    recorded: { reason: 'gone' },
  }
  const cases: readonly LostKeys[] = [
    { what: 'keys.db gone', lose: () => remove(/^keys\.db/), ...gone },
    { what: 'keys.db and its witness gone', lose: () => remove(/^(keys|stores)\./), ...gone },
    {
      what: 'everything of the keys gone',
      lose: () => remove(/^(keys\.|stores\.|master)/),
      ...gone,
    },
    {
      what: 'an older keys.db',
      lose: () => olderKeys(),
      sentence:
        /keys\.db: it is not the newest: it has seen 1 changes, but stores\.witness knows of \d/,
      recorded: { reason: 'older_copy' },
    },
    {
      what: 'keys.db overwritten',
      lose: () => writeFileSync(join(crashed, 'keys.db'), 'no database '.repeat(9_000)),
      sentence: /keys\.db: the file is damaged or not a database/,
      recorded: { reason: 'damaged', set_aside },
    },
    {
      what: 'the master key gone',
      lose: () => remove(/^master/),
      sentence: /keys\.db: VIGIL_MASTER_KEY is not set, there is no .*master\.key/,
      recorded: { reason: 'no_master_key', set_aside },
    },
    {
      what: 'another master key',
      lose: () => writeFileSync(join(crashed, 'master.key'), 'ab'.repeat(32)),
      sentence: /keys\.db: its keys were made under another master key than this one/,
      recorded: { reason: 'other_master_key', set_aside },
    },
  ]

  test('given a master key that is none, when started, then it is named, and moved away it can be gone on without', async () => {
    writeFileSync(join(crashed, 'master.key'), 'junk')

    const refused = await refusal()
    remove(/^master\.key$/)
    await restore('keys')

    expect(refused).toMatch(/master\.key: .*move it away .*vigil restore --accept-key-loss$/)
    expect(await refusal()).toBeUndefined()
  })

  test.each(cases)(
    'given $what, when started, then it is refused, nothing is made anew, and accepting it is recorded',
    async ({ lose, sentence, recorded }) => {
      lose()
      const before = readdirSync(crashed).filter((name) => /^(keys|master)/.test(name))

      const refused = await refusal()
      const [looked] = (await restore('log')).losses

      expect(refused).toMatch(sentence)
      expect(refused).toContain('vigil restore --accept-key-loss')
      expect(readdirSync(crashed)).toEqual(expect.arrayContaining(before))
      expect(existsSync(join(crashed, 'master.key'))).toBe(before.includes('master.key'))
      expect(looked).toEqual({ of: 'keys', text: expect.stringMatching(sentence) })

      const [accepted] = (await restore('keys')).losses
      expect(await refusal()).toBeUndefined()
      expect((await eventAt(Number(accepted?.recorded_at)))?.event).toEqual({
        type: 'KeyLossAccepted',
        data: recorded,
      })
      expect((await restore('keys')).losses).toEqual([])
    },
  )

  test('given an accepted loss, when a record is read whose key is lost, then it is a fault and no erasure, and new ones open', async () => {
    remove(/^keys\./)
    await restore('keys')
    const metrics = openMetrics()
    const restored = await openVigil({ folder: crashed, metrics })
    const read = (path: string, method = 'GET') =>
      restored.door.request(method, `/v2/watch/evaluations/${path}`, { token: customer.token })

    const shown = await read(kept)
    const replayed = await read(`${kept}/replay`, 'POST')
    const next = await evaluateOn(restored, '+33612345680')

    expect(await lossesOn(restored)).toMatchObject([{ lost: 'keys', reason: 'gone' }])
    for (const { status, body } of [shown, replayed]) {
      expect({ status, body }).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect(JSON.stringify(body)).toContain('its key is missing')
    }
    expect(await seenOn(restored, next)).toBe(200)
    expect(await metrics.text()).toContain(
      'vigil_sealing_keys_unreadable_total{reason="missing"} 2',
    )
    await restored.stop()
  })

  test('given a key that has changed in its file, when its record is read, then it is a fault and no erasure', async () => {
    edit('UPDATE keys SET wrapped = zeroblob(60)')
    const metrics = openMetrics()
    const restored = await openVigil({ folder: crashed, metrics })

    const { status, text } = await restored.door.request('GET', `/v2/watch/evaluations/${kept}`, {
      token: customer.token,
    })

    expect({ status, text }).toEqual({ status: 503, text: expect.stringContaining('is damaged') })
    expect(await metrics.text()).toContain(
      'vigil_sealing_keys_unreadable_total{reason="damaged"} 1',
    )
    await restored.stop()
  })
})

/** The keys as they were before anybody was evaluated. */
function olderKeys(): void {
  edit(`
    DELETE FROM keys;
    UPDATE master SET changes = 1;
  `)
}

function edit(sql: string): void {
  const database = openDatabase({ file: join(crashed, 'keys.db'), synchronous: 'FULL' })
  database.exec(sql)
  database.close()
}

test('given a folder in use, when restored, then it is refused', async () => {
  const vigil = await openVigil({ folder: crashed })

  await expect(restore('log')).rejects.toThrow(/another process is using it/)
  await vigil.stop()
})

test('given a folder without data, when restored, then it is named and stays empty', async () => {
  const empty = temporaryFolder()
  mkdirSync(join(empty, 'other'))

  await expect(restoreIn(empty, ['log'])).rejects.toThrow(`There is no data of Vigil in ${empty}.`)
  await expect(restoreIn(join(empty, 'none'), ['log'])).rejects.toThrow('There is no data')
  expect(readdirSync(empty)).toEqual(['other'])
  expect(existsSync(join(empty, 'none'))).toBe(false)
})

async function eventAt(position: number) {
  const store = await openEmbeddedEventStore({ folder: crashed })
  const [event] = await store.readAll({ after: position - 1, limit: 1 })
  await store.close()
  return event && decode(event)
}
