/** The questions of the guide for analysts, asked of what a service wrote to the MongoDB in MONGODB_URL. */

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildAnalystGrantScript } from '../../src/queries/operations/analystGrant.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { startFakeEventStoreDb } from '../support/eventStoreDb/fakeServer.ts'
import { eventually } from '../support/eventually.ts'
import { openCustomer, operatorToken } from '../support/openVigil.ts'
import { startVigil } from '../support/startedVigil.ts'
import { mongoUrl, newDatabase } from './newDatabase.ts'

const guide = readFileSync('docs/guide/read-models.md', 'utf8')

interface Question {
  readonly collection: string
  readonly pipeline: object[]
}

interface View {
  readonly name: string
  readonly of: string
  readonly pipeline: object[]
}

/** The views that the script makes for the analysts of the account. */
function viewsOf(account: string): readonly View[] {
  const views: View[] = []
  const vigil = {
    getName: () => '',
    getCollection: () => ({ findOne: () => null, drop: () => true }),
    createView: (name: string, of: string, pipeline: object[]) =>
      views.push({ name, of, pipeline }),
    getRole: () => null,
    createRole: () => null,
    getUser: () => null,
  }
  const names = { database: 'vigil', role: 'analyst', user: 'analyst' }
  runInNewContext(buildAnalystGrantScript({ ...names, account }), {
    db: { getSiblingDB: () => vigil },
    process: { env: {} },
    print: () => undefined,
  })
  return views
}

interface Asking {
  readonly account: string
  readonly flow: string
}

/** The question below the heading, of this account, this flow and today. */
function questionOf(heading: string, { account, flow }: Asking): Question {
  const [, block = ''] =
    new RegExp(`^### ${heading}$[^]*?^\`\`\`js$([^]*?)^\`\`\`$`, 'm').exec(guide) ?? []
  const day = new Date().toISOString().slice(0, 10)
  const script = block
    .replaceAll('acc_…', account)
    .replaceAll('flo_…', flow)
    .replaceAll('2026-08-31', day)
  const asked: Question[] = []
  const ask = (collection: string) => ({
    aggregate: (pipeline: object[]) => asked.push({ collection, pipeline }),
  })
  const midnight = Date.parse(day)
  runInNewContext(script, {
    db: new Proxy({}, { get: (_, name) => ask(String(name)) }),
    // the last day that the guide names begins today, the one after it tomorrow
    Date: { UTC: (_: number, month: number) => midnight + (month === 8 ? 86_400_000 : 0) },
  })
  return asked[0] ?? expect.fail(`no question under ${heading}`)
}

describe.skipIf(mongoUrl === '')('MONGODB_URL', () => {
  test('the questions of the guide are answered as the account knows them', async () => {
    const fake = await startFakeEventStoreDb()
    onTestFinished(fake.stop)
    const mongo = newDatabase()
    const vigil = await startVigil(temporaryFolder(), {
      EVENTSTORE_URL: fake.url,
      MONGODB_URL: mongo.url,
      VIGIL_MASTER_KEY: randomBytes(32).toString('hex'),
      VIGIL_OPERATOR_TOKEN: operatorToken,
      VIGIL_DEMO: 'false',
    })
    onTestFinished(() => vigil.stop('SIGKILL').then(() => undefined))
    const { database } = mongo.connect()
    const shop = await openCustomer(vigil)
    const other = await openCustomer(vigil)
    const flow = await shop.flowOf('int(signal.ext.cart) > 50', 'signal.ext.never == "b"')
    const evaluated: string[] = []
    for (const [number, cart] of ['10', '60', '70'].entries()) {
      const target = { phone_number: `+3361234567${number}` }
      const { body } = await shop.evaluate(flow, { target, signals: { ext: { cart } } })
      evaluated.push(String(body['id']))
    }
    await other.evaluate(await other.flowOf('1 == 1'))
    const target = { type: 'phone_number', value: '+33612345672' }
    const report = { label: 'payment.chargeback', confidence: 'high', target }
    const reports = [report, { ...report, label: 'account.banned', evaluation_id: evaluated[0] }]
    await shop.send('POST', '/v2/watch/event', { events: reports })

    const answer = async (heading: string) => {
      const { collection, pipeline } = questionOf(heading, { account: shop.accountId, flow })
      return database.collection(collection).aggregate(pipeline).toArray()
    }
    await eventually(async () => (await answer('Labels by verdict')).length === 2)
    await eventually(async () => (await answer('Rules by outcome yesterday')).length === 2)

    expect(await answer('Flag rate by day')).toEqual([
      { _id: expect.any(String), evaluations: 3, flagged: 2, rate: 2 / 3 },
    ])
    const none = { triggered: 0, not_evaluated: 0, unavailable: 0, skipped: 0, alone: 0 }
    const all = { ...none, evaluations: 3 }
    const _id = { rule: expect.stringMatching(/^rul_/), status: 'LIVE' }
    expect(await answer('Rules by outcome yesterday')).toEqual([
      { ...all, _id, triggered: 2, alone: 2 },
      { ...all, _id, not_evaluated: 3 },
    ])
    expect(await answer('Labels by verdict')).toEqual([
      { _id: { verdict: 'PASS', label: 'account.banned' }, evaluations: 1 },
      { _id: { verdict: 'FLAG', label: 'payment.chargeback' }, evaluations: 1 },
    ])

    // asked as pipelines: the stand-in makes a collection of a view
    const seen = new Map<string, readonly Record<string, unknown>[]>()
    for (const { name, of, pipeline } of viewsOf(shop.accountId)) {
      const documents = await database.collection(of).aggregate(pipeline).toArray()
      seen.set(name.replace(`${shop.accountId}_`, ''), documents)
      for (const { account } of documents) expect(account).toBe(shop.accountId)
    }
    expect(
      seen
        .get('evaluations')
        ?.map(({ _id }) => _id)
        .toSorted(),
    ).toEqual(evaluated.toSorted())
    expect(seen.get('flows')).toHaveLength(1)
    const rules = seen.get('rules')?.map(({ _id }) => _id) ?? []
    expect(rules).toHaveLength(2)
    expect(seen.get('plans')).toMatchObject([{ plan_parts: [{ rules }] }])
  })
})
