/** What hostile or unlucky callers do to lists: lists that go while they are used, names that objects have. */

import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  type ImportAnswer,
  type ImportLine,
  importEntries,
} from '../../src/commands/lists/importEntries.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

const base = '/v2/watch/management/lists'

const vigil = await openVigilOfFile()
let shop: Customer
beforeEach(async () => {
  shop = await openCustomer(vigil)
})

const send = (method: string, path: string, body?: unknown) =>
  shop.send(method, `${base}${path}`, body)
const add = (list: string, value: string, more: object = {}) =>
  send('POST', `/${list}/entries`, { value, ...more })
const valuesOn = async (list: string) =>
  ((await send('GET', `/${list}/entries`)).body['entries'] as { value: string }[]).map(
    ({ value }) => value,
  )

describe('a list that is deleted', () => {
  /** Lines that come one by one, for as long as they are taken. */
  async function* endless(): AsyncGenerator<ImportLine> {
    for (let line = 1; line < 100_000; line += 1) {
      await sleep(1)
      yield { line, input: { value: `value ${line}` } }
    }
  }

  test('on one instance ends an import into it on another, and takes no more entries', async () => {
    const { a, b } = await openTwoInstances()
    const customer = await openCustomer(a)
    const list = await customer.list('vip', 'text')
    const principal = await a.service.authenticate(customer.token)
    if (principal.kind !== 'account') throw new Error('not an account')
    const call = { principal, requestId: 'req' }
    const importing = await importEntries(a.context, call, { list, lines: endless() })
    const answers: ImportAnswer[] = []
    let deleted: Promise<number> | undefined

    for await (const answer of importing) {
      answers.push(answer)
      const path = `${base}/${list}`
      deleted ??= b.door
        .request('DELETE', path, { token: customer.token })
        .then(({ status }) => status)
    }

    expect(await deleted).toBe(204)
    expect(answers.at(-1)).toMatchObject({ result: 'failed', code: 'not_found' })
    expect(answers.slice(0, -1).every(({ result }) => result === 'added')).toBe(true)
    expect([...a.faults, ...b.faults]).toEqual([])
  })
})

test('an evaluation is replayed and explained from what its lists answered when list, rule and recipe have long gone', async () => {
  const list = await shop.list('vip', 'email_address')
  await add(list, 'ann@example.com')
  const rule = await shop.rule('inList("vip", target.email_address)')
  const recipe = await shop.recipe([{ rule_id: rule, weight: 60 }])
  const flow = await shop.flow([recipe])
  const target = { email_address: 'ann@example.com' }
  const { body } = await shop.evaluate(flow, { target })
  const gone = [
    await shop.send('DELETE', `/v2/watch/management/flows/${flow}`),
    await shop.send('DELETE', `/v2/watch/management/recipes/${recipe}`),
    await shop.send('DELETE', `/v2/watch/management/rules/${rule}`),
    await send('DELETE', `/${list}`),
  ]
  // another list of the name, on which she does not stand, answers for nothing of before
  await shop.list('vip', 'email_address')

  const replay = await shop.send('POST', `/v2/watch/evaluations/${body['id']}/replay`)
  const shown = await shop.send('GET', `/v2/watch/evaluations/${body['id']}`)

  expect(gone.map(({ status }) => status)).toEqual([204, 204, 204, 204])
  expect(body['verdict']).toBe('FLAG')
  expect(replay.body).toEqual({ result: 'MATCH', differences: [] })
  expect(shown.body['evidence']).toContainEqual(
    expect.objectContaining({ name: 'inList("vip", target.email_address)', value: true }),
  )
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'a list and a value called %s are a list and a value like others',
  async (name) => {
    const made = await send('POST', '', { name, kind: 'text' })
    const list = String(made.body['id'])
    const flow = await shop.flowOf(`inList("${name}", signal.ext.value)`)
    const verdictOn = async (value: string) => {
      return (await shop.evaluate(flow, { signals: { ext: { value } } })).body['verdict']
    }

    const before = await verdictOn(name)
    await add(list, name, { reason: name })
    const after = [await verdictOn(name), await verdictOn('other')]

    expect([made.status, before, after]).toEqual([201, 'PASS', ['FLAG', 'PASS']])
    expect(await valuesOn(list)).toEqual([name])
    expect((await send('DELETE', `/${list}`)).status).toBe(409)
  },
)
