/** Several workers on one port, asked on connections of their own: to a client they are one service. */

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { passwordRates } from '../../src/http/sessions/passwordLimits.ts'
import { readFamilies, readSamples } from '../metrics/exposition.ts'
import { dpopKey } from '../support/dpopKey.ts'
import { eventually } from '../support/eventually.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { refresh } from '../support/refreshing.ts'
import { operatorToken } from '../support/runningShop.ts'
import { type Asked, type StartedWorkers, startWorkers } from '../support/startedWorkers.ts'
import { startSession } from '../support/startSession.ts'

const management = '/v2/watch/management'

const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
let all: StartedWorkers
let shop: Customer

beforeAll(async () => {
  all = await startWorkers(folder)
})
beforeEach(async () => {
  shop = await openCustomer({ door: { request: all.ask } })
})
afterAll(async () => {
  expect(await all.vigil.stop('SIGTERM')).toBe(0)
  rmSync(folder, { recursive: true, force: true })
})

const evaluation = (flow_id: string, phone_number = '+33612345678') => ({
  token: shop.token,
  body: { flow_id, target: { phone_number } },
})
const judgeOnAll = (...asked: Parameters<typeof evaluation>) =>
  all.askAll('POST', '/v2/watch/eval', evaluation(...asked))
const statusesOf = (answers: readonly Asked[]) => [...new Set(answers.map(({ status }) => status))]
const verdictsOf = (answers: readonly Asked[]) => [
  ...new Set(answers.map(({ body }) => body['verdict'])),
]

describe('at once, whichever worker is asked', () => {
  test('each of them answers, and says in the log which one it was', async () => {
    const seen = new Set<number>()

    await eventually(async () => {
      const answers = await all.askAll('GET', '/health/live')
      expect(statusesOf(answers)).toEqual([200])
      for (const worker of await all.answeredBy(answers)) seen.add(worker)
      return seen.size === 3
    })

    expect(seen).toEqual(new Set([1, 2, 3]))
  })

  test('a flow that was made is evaluated, though all have evaluated others before', async () => {
    const rule = await shop.rule('1 == 2')
    const recipe = await shop.recipe([{ rule_id: rule, weight: 60 }])
    const flow = await shop.flow([recipe])

    const before = await judgeOnAll(flow)
    const other = await shop.flowOf('1 == 1')
    const after = await judgeOnAll(other)

    expect([statusesOf(before), verdictsOf(before)]).toEqual([[200], ['PASS']])
    expect([statusesOf(after), verdictsOf(after)]).toEqual([[200], ['FLAG']])
  })

  test('a token that was issued is known', async () => {
    const path = `/v2/operator/accounts/${shop.accountId}/tokens`
    // each holds the account as it is
    await all.askAll('GET', `${management}/rules`, { token: shop.token })

    const issued = await all.ask('POST', path, {
      token: operatorToken,
      body: { scopes: ['author'] },
    })

    const used = await all.askAll('GET', `${management}/rules`, {
      token: String(issued.body['token']),
    })
    expect(statusesOf(used)).toEqual([200])
  })

  test('what is written is listed for whoever waits for its position', async () => {
    const made = await shop.send('POST', `${management}/rules`, { name: 'n', expression: '1 == 1' })

    const path = `${management}/rules?min_position=${made.headers['x-vigil-position']}`
    const listed = await all.askAll('GET', path, { token: shop.token })

    expect(statusesOf(listed)).toEqual([200])
    for (const { text } of listed) expect(text).toContain(String(made.body['id']))
  })

  test('changes of one thing by all of them at once all come to be, or say that another was first', async () => {
    const id = await shop.rule('1 == 1')
    const path = `${management}/rules/${id}`
    const changes = Array.from({ length: 12 }, (_, index) =>
      shop.send('PUT', path, { name: `name ${index}`, expression: '1 == 1' }),
    )

    const answers = await Promise.all(changes)

    const made = answers.filter(({ status }) => status === 200)
    expect(made.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    const positions = new Set(made.map(({ headers }) => headers['x-vigil-position']))
    expect(positions.size).toBe(made.length)
    const seen = await all.askAll('GET', `${path}?min_position=${lastPosition(made)}`, {
      token: shop.token,
    })
    expect(new Set(seen.map(({ text }) => text)).size).toBe(1)
  })
})

describe('a request that is sent again under its key', () => {
  test('has the answer that it had, and is done once', async () => {
    const flow = await shop.flowOf('1 == 1')
    const headers = { 'idempotency-key': randomUUID() }
    const counted = await evaluationsCounted()

    const answers = await all.askAll('POST', '/v2/watch/eval', { ...evaluation(flow), headers })

    expect(statusesOf(answers)).toEqual([200])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await evaluationsCounted()).toBe(counted + 1)
  })

  test('has one answer though all of them are asked at once', async () => {
    const flow = await shop.flowOf('1 == 1')
    const counted = await evaluationsCounted()
    const keys = Array.from({ length: 10 }, () => randomUUID())

    const answers = await Promise.all(
      keys.flatMap((key) =>
        Array.from({ length: 6 }, () =>
          all.ask('POST', '/v2/watch/eval', {
            ...evaluation(flow),
            headers: { 'idempotency-key': key },
          }),
        ),
      ),
    )

    expect(statusesOf(answers)).toEqual([200])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(keys.length)
    expect(await evaluationsCounted()).toBe(counted + keys.length)
  })

  test('makes one rule', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const body = { name: 'once', expression: '1 == 1' }

    const answers = await all.askAll('POST', `${management}/rules`, {
      token: shop.token,
      headers,
      body,
    })

    expect(statusesOf(answers)).toEqual([201])
    expect(new Set(answers.map(({ body: made }) => made['id'])).size).toBe(1)
  })
})

describe('what was answered is known to all', () => {
  test('a token that was revoked is refused by all, whoever held it', async () => {
    const use = () => all.askAll('GET', `${management}/rules`, { token: shop.token })
    expect(statusesOf(await use())).toEqual([200])
    const path = `/v2/operator/accounts/${shop.accountId}/tokens/${shop.tokenId}`

    const revoked = await all.ask('DELETE', path, { token: operatorToken })

    expect(revoked.status).toBe(204)
    expect(statusesOf(await use())).toEqual([401])
  })

  test('a rule that was changed is evaluated as it is now', async () => {
    const rule = await shop.rule('1 == 1')
    const flow = await shop.flow([await shop.recipe([{ rule_id: rule, weight: 60 }])])
    const path = `${management}/rules/${rule}`
    const seen: unknown[] = []

    for (const expression of ['1 == 2', '1 == 1', '1 == 2', '1 == 1']) {
      await shop.send('PUT', path, { name: 'a rule', expression })
      seen.push(verdictsOf(await judgeOnAll(flow)))
    }

    expect(seen).toEqual([['PASS'], ['FLAG'], ['PASS'], ['FLAG']])
  })

  test('what was put on a list triggers, and no more once it was taken off', async () => {
    const list = await shop.list('known', 'phone_number')
    const flow = await shop.flowOf('inList("known", target.phone_number)')
    const entries = `${management}/lists/${list}/entries`
    const seen: unknown[] = []

    for (const value of ['+33612345601', '+33612345602']) {
      seen.push(verdictsOf(await judgeOnAll(flow, value)))
      await shop.send('POST', entries, { value })
      seen.push(verdictsOf(await judgeOnAll(flow, value)))
      await shop.send('DELETE', entries, { value })
      seen.push(verdictsOf(await judgeOnAll(flow, value)))
    }

    const once = [['PASS'], ['FLAG'], ['PASS']]
    expect(seen).toEqual([...once, ...once])
  })

  test('a person who was erased is forgotten by all, and another may have the number', async () => {
    const app = await shop.send('POST', '/v2/session/apps', { name: 'Shop' })
    const users = `/v2/session/apps/${app.body['app_id']}/users`
    const identifiers = [{ type: 'phone_number', value: '+33612345678' }]
    const user = await shop.send('POST', users, { identifiers })
    const path = `${users}/${user.body['id']}`
    const seen = await all.askAll('GET', path, { token: shop.token })
    expect([...new Set(seen.map(({ text }) => text))]).toEqual([user.text])

    const erased = await shop.send('DELETE', path)

    expect(erased.status).toBe(204)
    const after = await all.askAll('GET', path, { token: shop.token })
    expect(statusesOf(after)).toEqual([404])
    const found = `${users}?type=phone_number&value=%2B33612345678`
    const position = erased.headers['x-vigil-position']
    const none = await all.askAll('GET', `${found}&min_position=${position}`, { token: shop.token })
    expect([...new Set(none.map(({ text }) => text))]).toEqual(['{"users":[]}'])
    expect((await shop.send('POST', users, { identifiers })).status).toBe(201)
  })

  test('a session that ended since its refresh token was stolen is refused by all', async () => {
    const app = await shop.send('POST', '/v2/session/apps', { name: 'Shop' })
    const appId = String(app.body['app_id'])
    const place = { port: Number(new URL(all.vigil.url).port), appId }
    const seen: unknown[] = []

    for (let round = 0; round < 8; round += 1) {
      const session = await startSession(shop, appId)
      const own = await refresh({ ...place, token: session.token, key: dpopKey() })
      const asUser = {
        token: String(own.body['access_token']),
        headers: { host: `${appId}.session.localhost` },
      }
      const before = await all.askAll('GET', '/v1/session/me/list', asUser)
      const stolen = await refresh({ ...place, token: session.token, key: dpopKey() })
      const after = await all.askAll('GET', '/v1/session/me/list', asUser)
      seen.push([statusesOf(before), stolen.status, statusesOf(after)])
    }

    expect(seen).toEqual(Array(8).fill([[200], 401, [401]]))
  })
})

describe('of the whole', () => {
  test('a rate is one for all of them: a password is tried no oftener than with one process', async () => {
    const app = await shop.send('POST', '/v2/session/apps', { name: 'Shop' })
    const users = `/v2/session/apps/${app.body['app_id']}/users`
    const identifiers = [{ type: 'customer_user_id', value: 'somebody' }]
    const user = await shop.send('POST', users, { identifiers })

    const tried = await all.askAll('POST', `${users}/${user.body['id']}/password/check`, {
      token: shop.token,
      body: { password: 'a guess' },
    })

    const { burst } = passwordRates.check
    expect(tried.filter(({ status }) => status === 200)).toHaveLength(burst)
    expect(tried.filter(({ status }) => status === 429)).toHaveLength(tried.length - burst)
  })

  test('all of them say that it is ready', async () => {
    await eventually(async () => (await all.ask('GET', '/health/ready')).status === 200)

    const answers = await all.askAll('GET', '/health/ready')

    expect(statusesOf(answers)).toEqual([200])
    for (const { body } of answers) {
      expect(body).toMatchObject({ ready: true, projected_by: 'this_instance' })
    }
  })

  test('the metrics are the sum of all, whoever tells them', async () => {
    const flow = await shop.flowOf('1 == 1')
    const before = await evaluationsCounted()

    const answers = await judgeOnAll(flow)
    const told = await all.askAll<string>('GET', '/metrics', { token: operatorToken })

    expect(told.map(({ text }) => evaluationsIn(text))).toEqual(
      told.map(() => before + answers.length),
    )
    const families = told.map(({ text }) => [...readFamilies(text)].sort())
    for (const one of families) expect(one).toEqual(families[0])
    // one log, one first process: what is true of the whole is told once
    for (const { text } of told) {
      expect(valuesOf(text, 'vigil_workers_lost_total')).toEqual([0])
      expect(valuesOf(text, 'vigil_projections_heard')).toEqual([1])
    }
  })
})

async function evaluationsCounted(): Promise<number> {
  return evaluationsIn((await all.ask('GET', '/metrics', { token: operatorToken })).text)
}

function evaluationsIn(metrics: string): number {
  return valuesOf(metrics, 'vigil_evaluations_total').reduce((sum, value) => sum + value, 0)
}

function valuesOf(metrics: string, name: string): readonly number[] {
  return readSamples(metrics)
    .filter((sample) => sample.name === name)
    .map(({ value }) => value)
}

function lastPosition(answers: readonly { readonly headers: Asked['headers'] }[]): number {
  return Math.max(...answers.map(({ headers }) => Number(headers['x-vigil-position'])))
}
