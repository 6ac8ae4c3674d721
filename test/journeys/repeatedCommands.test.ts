/** A command sent again with its `Idempotency-Key` is answered as it was, whatever has happened since. */

import { describe, expect, onTestFinished, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openCustomer, openVigil, operatorToken, sendAs } from '../support/openVigil.ts'

let keys = 0

const { vigil, shop } = await openShopOfFile()

type Body = Record<string, unknown>
const root = '/v2/watch/management'

/** A command that can be sent any number of times. */
function command(method: string, path: string, body?: object) {
  keys += 1
  const headers = { 'idempotency-key': `again-${keys}` }
  const token = path.startsWith('/v2/operator/') ? operatorToken : shop.token
  return () => vigil.door.request<Body>(method, path, { token, headers, ...(body && { body }) })
}

const shown = ({ status, text, headers }: { status: number; text: string; headers: Body }) => ({
  status,
  text,
  etag: headers['etag'],
  position: headers['x-vigil-position'],
})

const ruleBody = (name: string) => ({ name, expression: '1 == 1' })

test('a rule that others have replaced since is answered as it was made', async () => {
  const create = command('POST', `${root}/rules`, ruleBody('first'))
  const first = await create()
  const path = `${root}/rules/${first.body['id']}`
  const replace = command('PUT', path, ruleBody('second'))
  const second = await replace()
  await shop.send('PUT', path, ruleBody('third'))

  const [firstAgain, secondAgain] = [await create(), await replace()]

  expect(shown(firstAgain)).toEqual(shown(first))
  expect(shown(secondAgain)).toEqual(shown(second))
})

test('whoever sends a change again does not come by the entity tag of somebody else’s', async () => {
  const rule = await shop.rule('1 == 1')
  const path = `${root}/rules/${rule}`
  const mine = command('PUT', path, ruleBody('mine'))
  await mine()
  await shop.send('PUT', path, ruleBody('theirs'))

  const { headers } = await mine()
  const next = await shop.send('PUT', path, ruleBody('mine again'), {
    'if-match': String(headers['etag']),
  })

  expect([next.status, next.body['code']]).toEqual([412, 'precondition_failed'])
  expect((await shop.send('GET', path)).body['name']).toBe('theirs')
})

test('a rule that was deleted since is answered as it was made', async () => {
  const create = command('POST', `${root}/rules`, ruleBody('gone'))
  const made = await create()
  await shop.send('DELETE', `${root}/rules/${made.body['id']}`)

  const again = await create()

  expect(shown(again)).toEqual(shown(made))
})

test('a restored version is answered as it was restored', async () => {
  const rule = await shop.rule('1 == 1', 'first')
  const path = `${root}/rules/${rule}`
  const version = (await shop.send('GET', path)).body['version_id']
  await shop.send('PUT', path, ruleBody('second'))
  const restore = command('POST', `${path}/versions/${version}/restore`)
  const restored = await restore()
  await shop.send('PUT', path, ruleBody('third'))

  const again = await restore()

  expect(restored.body['name']).toBe('first')
  expect(shown(again)).toEqual(shown(restored))
})

test('a recipe whose status alone was set is answered with what it held then', async () => {
  const rule = await shop.rule('1 == 1')
  const rules = [{ rule_id: rule, weight: 10 }]
  const recipe = await shop.recipe(rules)
  const path = `${root}/recipes/${recipe}`
  const { name, threshold } = (await shop.send('GET', path)).body
  const setStatus = command('PUT', path, { name, threshold, rules, status: 'SHADOW' })
  const set = await setStatus()
  await shop.send('PUT', path, { name: 'another', threshold: 99, rules, status: 'DRAFT' })

  const again = await setStatus()

  expect(set.body['status']).toBe('SHADOW')
  expect(shown(again)).toEqual(shown(set))
})

test('a key is known for a day, also after a restart; then it names another command', async () => {
  const day = 24 * 60 * 60 * 1_000
  const startedMs = Date.now()
  let mine = await openVigil()
  onTestFinished(() => mine.close())
  mine.setTime(startedMs)
  const { token } = await openCustomer(mine)
  const headers = { 'idempotency-key': 'the-same' }
  const create = () =>
    mine.door.request<Body>('POST', `${root}/rules`, { token, headers, body: ruleBody('a') })
  const first = await create()

  mine = await mine.restart()
  mine.setTime(startedMs + day)
  const inTime = await create()
  mine = await mine.restart()
  mine.setTime(startedMs + day + 1)
  const late = await create()

  expect(shown(inTime)).toEqual(shown(first))
  expect(late.status).toBe(201)
  expect(late.body['id']).not.toBe(first.body['id'])
})

describe('the operator', () => {
  test('is told of the access as it was set', async () => {
    const path = `/v2/operator/accounts/${shop.accountId}/access`
    await vigil.door.request('PUT', path, { token: operatorToken, body: { trusted_user: false } })
    const set = command('PUT', path, { trusted_user: true })
    const first = await set()
    await vigil.door.request('PUT', path, { token: operatorToken, body: { trusted_user: false } })

    const again = await set()

    expect(first.body['trusted_user']).toBe(true)
    expect(shown(again)).toEqual(shown(first))
  })

  test('is shown a managed rule as it was made', async () => {
    const managedBody = (name: string) => ({ ...ruleBody(name), description: 'What it does.' })
    const path = '/v2/operator/managed/rules'
    const create = command('POST', path, managedBody('first'))
    const made = await create()
    await sendAs(vigil, operatorToken)('PUT', `${path}/${made.body['id']}`, managedBody('second'))

    const again = await create()

    expect(made.status).toBe(201)
    expect(shown(again)).toEqual(shown(made))
  })
})
