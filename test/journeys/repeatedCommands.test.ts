/** A command sent again with its `Idempotency-Key` is answered as it was, whatever has happened since. */

import { expect, onTestFinished, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openCustomer, openVigil, operatorToken, sendAs } from '../support/openVigil.ts'
import { newApp } from '../support/startSession.ts'

let keys = 0

const { vigil, shop } = await openShopOfFile()

type Body = Record<string, unknown>
const root = '/v2/watch/management'
const verification = '/v2/verification/management'
const managed = '/v2/operator/managed/rules'

const tokenFor = (path: string) => (path.startsWith('/v2/operator/') ? operatorToken : shop.token)
const send = (method: string, path: string, body?: object) =>
  sendAs(vigil, tokenFor(path))(method, path, body)

/** A command that can be sent any number of times. */
function command(method: string, path: string, body?: object) {
  keys += 1
  const headers = { 'idempotency-key': `again-${keys}` }
  const token = tokenFor(path)
  return () => vigil.door.request<Body>(method, path, { token, headers, ...(body && { body }) })
}

const shown = ({ status, text, headers }: { status: number; text: string; headers: Body }) => ({
  status,
  text,
  etag: headers['etag'],
  position: headers['x-vigil-position'],
})

const ruleBody = (name: string) => ({ name, expression: '1 == 1' })
const managedBody = (name: string) => ({ ...ruleBody(name), description: 'What it does.' })
const account = `/v2/operator/accounts/${shop.accountId}`
const access = `${account}/access`
const rule = `${root}/rules/${await shop.rule('1 == 1', 'first')}`
const version = (await send('GET', rule)).body['version_id']
const recipe = `${root}/recipes/${await shop.recipe([])}`
const { name, threshold } = (await send('GET', recipe)).body
await send('PUT', `${root}/predict`, { flow_id: await shop.flowOf('1 == 1') })
const list = `${root}/lists/${await shop.list('vip', 'text')}`
const migration = `${await newApp(shop)}/config/migration`

/** What is sent, and what is sent by others before it comes again. */
test.each<[string, ReturnType<typeof command>, (made: Body) => ReturnType<typeof send>]>([
  [
    'a rule that was warned of, and replaced since by one that is not',
    command('POST', `${root}/rules`, ruleBody('first')),
    ({ id }) => send('PUT', `${root}/rules/${id}`, { name: 'second', expression: 'list.block' }),
  ],
  [
    'a rule that was deleted since',
    command('POST', `${root}/rules`, ruleBody('gone')),
    ({ id }) => send('DELETE', `${root}/rules/${id}`),
  ],
  [
    'a rule that was replaced, and replaced since',
    command('PUT', rule, ruleBody('second')),
    () => send('PUT', rule, ruleBody('third')),
  ],
  [
    'a version that was restored',
    command('POST', `${rule}/versions/${version}/restore`),
    () => send('PUT', rule, ruleBody('fourth')),
  ],
  [
    'a recipe whose status alone was set',
    command('PUT', recipe, { name, threshold, rules: [], status: 'SHADOW' }),
    () => send('PUT', recipe, { name: 'another', threshold: 99, rules: [], status: 'DRAFT' }),
  ],
  [
    'a list that was described otherwise since',
    command('PUT', list, { description: 'first' }),
    () => send('PUT', list, { description: 'second' }),
  ],
  [
    'a sender ID that was decided on since',
    command('POST', `${verification}/sender-id`, { sender_id: 'Ada' }),
    ({ sender_id }) => send('POST', `${account}/sender-ids/approve`, { sender_id }),
  ],
  [
    'a template that was changed since',
    command('POST', `${verification}/templates`, { name: 'first' }),
    ({ id }) => send('PATCH', `${verification}/templates/${id}`, { name: 'second' }),
  ],
  [
    'an access that was set otherwise since',
    command('PUT', access, { custom_suffix: true }),
    () => send('PUT', access, { custom_suffix: false }),
  ],
  [
    'several changes, of which one was replaced since',
    command('POST', `${root}/changes`, { rules: [{ content: ruleBody('together') }] }),
    ({ rules }) => send('PUT', `${root}/rules/${(rules as Body[])[0]?.['id']}`, ruleBody('second')),
  ],
  [
    'a managed rule that was replaced since',
    command('POST', managed, managedBody('first')),
    ({ id }) => send('PUT', `${managed}/${id}`, managedBody('second')),
  ],
  [
    'a migration URL that was changed since',
    command('PUT', migration, { session_validation_url: 'https://api.example.com/first' }),
    () => send('PUT', migration, { session_validation_url: 'https://api.example.com/second' }),
  ],
  [
    'a prediction by a flow that predicts no more',
    command('POST', '/v2/watch/predict', { target: { phone_number: '+33612345678' } }),
    () => send('DELETE', `${root}/predict`),
  ],
])('%s is answered as it was', async (_, again, changeIt) => {
  const first = await again()
  expect(first.status).toBeLessThan(300)
  expect((await changeIt(first.body)).status).toBeLessThan(300)

  expect(shown(await again())).toEqual(shown(first))
})

test('whoever sends a change again does not come by the entity tag of somebody else’s', async () => {
  const path = `${root}/rules/${await shop.rule('1 == 1')}`
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
