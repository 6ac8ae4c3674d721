/** Why two evaluations differ, and what one would have answered under the configuration of another time. */

import { beforeEach, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const start = Date.UTC(2026, 10, 21, 9, 30)
const hourMs = 60 * 60_000

const vigil = await openVigilOfFile()
let shop: Customer

beforeEach(async () => {
  vigil.setTime(start)
  shop = await openCustomer(vigil)
})

type Body = Readonly<Record<string, unknown>>

interface Compared {
  readonly causes: readonly { readonly differences: readonly Body[] }[]
  readonly smallest: boolean
  readonly others: readonly Body[]
}

const send = async (method: string, path: string, body?: object) => {
  const answer = await shop.send(method, path, body)
  return { status: answer.status, body: answer.body as Body & Compared }
}
const evaluate = async (flow: string, change?: object) =>
  String((await shop.evaluate(flow, change)).body['id'])
const differ = (a: string, b: string) =>
  send('GET', `/v2/watch/evaluations/${a}/difference?with=${b}`)
const replay = (id: string, as_of?: string) =>
  send('POST', `/v2/watch/evaluations/${id}/replay`, as_of === undefined ? undefined : { as_of })
const kinds = ({ causes }: Compared) =>
  causes.map(({ differences }) => differences.map(({ kind }) => kind))
const setRecipe = (id: string, rules: readonly object[], threshold = 50) =>
  send('PUT', `/v2/watch/management/recipes/${id}`, {
    ...{ name: 'a recipe', status: 'LIVE', threshold, rules },
  })

test('evidence that turns the verdict alone comes first, what does not matter behind it', async () => {
  const flow = await shop.flowOf('signal.ext.risk == "high"', 'signal.ext.note == "never"')
  const passed = await evaluate(flow, { signals: { ext: { risk: 'low', note: 'a' } } })
  const flagged = await evaluate(flow, { signals: { ext: { risk: 'high', note: 'b' } } })

  const { status, body } = await differ(passed, flagged)

  expect(status).toBe(200)
  expect(body).toMatchObject({ a: { verdict: 'PASS' }, b: { verdict: 'FLAG' }, smallest: true })
  expect(body.causes).toEqual([
    { differences: [{ kind: 'evidence', name: 'signal.ext.risk', a: 'low', b: 'high' }] },
  ])
  expect(body.others).toEqual([{ kind: 'evidence', name: 'signal.ext.note', a: 'a', b: 'b' }])
})

test('two changes that only turn it together are one cause; others are not in it', async () => {
  const rule = await shop.rule('signal.ext.a == "1"', 'first')
  const other = await shop.rule('signal.ext.b == "1"', 'second')
  const members = (weight: number, more: number) => [
    { rule_id: rule, weight },
    { rule_id: other, weight: more },
  ]
  const recipe = await shop.recipe(members(20, 20), { threshold: 80 })
  const flow = await shop.flow([recipe])
  const signals = { ext: { a: '1', b: '1' } }
  const before = await evaluate(flow, { signals })
  await setRecipe(recipe, members(45, 40), 80)
  const after = await evaluate(flow, { signals: { ext: { ...signals.ext, c: '1' } } })

  const { body } = await differ(before, after)

  expect(kinds(body)).toEqual([['weight', 'weight']])
  expect(body.causes[0]?.differences[0]).toMatchObject({
    ...{ recipe_id: recipe, recipe_name: 'a recipe', rule_id: rule, rule_name: 'first' },
    ...{ a: 20, b: 45 },
  })
  expect(body.others).toMatchObject([{ kind: 'evidence', name: 'signal.ext.c', b: '1' }])
})

test.each<[kind: string, change: (recipe: string, rule: string) => Promise<unknown>]>([
  ['threshold', (recipe, rule_id) => setRecipe(recipe, [{ rule_id, weight: 40 }], 30)],
  [
    'rule_version',
    async (recipe, rule_id) => {
      const changed = { name: 'a rule', expression: 'signal.ext.a == "1" || true' }
      await send('PUT', `/v2/watch/management/rules/${rule_id}`, changed)
      await setRecipe(recipe, [{ rule_id, weight: 60 }])
    },
  ],
  [
    'membership',
    async (recipe, rule_id) => {
      const added = await shop.rule('signal.ext.a == "1"')
      const ids = [rule_id, added]
      await setRecipe(
        recipe,
        ids.map((id) => ({ rule_id: id, weight: 40 })),
      )
    },
  ],
  ['override', (recipe, rule_id) => setRecipe(recipe, [{ rule_id, weight: 40, preempts: 'FLAG' }])],
])('a change of the %s that flags is told', async (kind, change) => {
  const rule = await shop.rule('signal.ext.a == "1"')
  const recipe = await shop.recipe([{ rule_id: rule, weight: 40 }])
  const flow = await shop.flow([recipe])
  const signals = { ext: { a: kind === 'rule_version' ? '2' : '1' } }
  const before = await evaluate(flow, { signals })
  await change(recipe, rule)
  const after = await evaluate(flow, { signals })

  const { body } = await differ(before, after)

  expect(body).toMatchObject({ a: { verdict: 'PASS' }, b: { verdict: 'FLAG' } })
  expect(kinds(body).flat()).toContain(kind)
})

test('an entry of a list is told, sealed for who may not analyse; the same verdict has no cause', async () => {
  const flow = await shop.flowOf('list.block')
  const before = await evaluate(flow)
  const phone_number = '+33612345678'
  await send('POST', '/v2/verification/management/phone-numbers/block', { phone_number })
  const after = await evaluate(flow)
  const token = await shop.tokenWith(['audit'])

  const name = { kind: 'list_entry', name: 'list.block' }
  expect((await differ(before, after)).body.causes).toEqual([
    { differences: [{ ...name, a: false, b: true }] },
  ])
  expect((await differ(before, before)).body).toMatchObject({ causes: [], others: [] })
  const asked = `/v2/watch/evaluations/${before}/difference?with=${after}`
  expect((await vigil.door.request<Body>('GET', asked, { token })).body['causes']).toEqual([
    { differences: [{ ...name, a: { sealed: true }, b: { sealed: true } }] },
  ])
})

test('a replay as of another time runs the rules, recipes and lists of then', async () => {
  const list = await shop.list('partners', 'email_domain')
  const rule = await shop.rule('signal.ext.a == "1" && !inList("partners", target.email_address)')
  const recipe = await shop.recipe([{ rule_id: rule, weight: 60 }])
  const flow = await shop.flow([recipe])
  const then = String(await projectedHead(vigil))
  vigil.setTime(start + hourMs)
  const entries = `/v2/watch/management/lists/${list}/entries`
  expect((await send('POST', entries, { value: 'example.com' })).status).toBe(201)
  const between = String(await projectedHead(vigil))
  await setRecipe(recipe, [{ rule_id: rule, weight: 10 }])
  const target = { phone_number: '+33612345678', email_address: 'ann@example.com' }
  const id = await evaluate(flow, { target, signals: { ext: { a: '1' } } })
  await projectedHead(vigil)

  const first = await replay(id, then)
  const atTime = await replay(id, new Date(start + hourMs / 2).toISOString())
  const second = await replay(id, between)

  expect(first.body).toMatchObject({
    as_of: then,
    recorded: { verdict: 'PASS', recipes: [{ score: 0 }] },
    recomputed: { verdict: 'FLAG', recipes: [{ score: 60, name: 'a recipe' }] },
  })
  expect(kinds(first.body)).toEqual([['list_entry', 'weight']])
  expect(atTime.body).toEqual(first.body)
  expect(second.body).toMatchObject({ recomputed: { verdict: 'PASS' }, causes: [] })
  expect(second.body.others).toMatchObject([{ kind: 'weight', a: 10, b: 60 }])
  expect((await replay(id)).body).toEqual({ result: 'MATCH', differences: [] })
})

test('refuses points that are none, evaluations of others, and evidence that is erased', async () => {
  const flow = await shop.flowOf('list.block')
  const early = String(await projectedHead(vigil))
  const late = await shop.flowOf('list.allow')
  const [id, other] = [await evaluate(flow), await evaluate(late)]
  const owner = shop
  shop = await openCustomer(vigil)
  const foreign = await evaluate(await shop.flowOf('list.block'))
  expect((await differ(id, foreign)).status).toBe(404)
  expect((await differ(foreign, id)).status).toBe(404)
  expect((await replay(id, early)).status).toBe(404)
  shop = owner

  expect((await replay(id, 'soon')).status).toBe(400)
  expect((await replay(id, '999999999')).status).toBe(400)
  expect((await replay(other, early)).body['details']).toEqual([
    { path: 'as_of', message: 'There was no such flow then.' },
  ])
  expect((await differ(id, 'evl_1')).status).toBe(400)
  await send('POST', '/v2/watch/subjects/erase', { phone_number: '+33612345678' })
  expect((await differ(id, other)).status).toBe(410)
  expect((await replay(id, early)).status).toBe(410)
})

test('a replay as of another time has the person, the signals and the clock of the record', async () => {
  const rule = await shop.rule('request.time < timestamp("2026-11-21T09:31:00Z")')
  const recipe = await shop.recipe([{ rule_id: rule, weight: 10 }])
  const flow = await shop.flow([recipe])
  const id = await evaluate(flow, { signals: { ext: { a: '1' } } })
  vigil.setTime(start + hourMs)
  const person = 'target.phone_number == "+33612345678" && signal.ext.a == "1"'
  const added = await shop.rule(person)
  await setRecipe(recipe, [
    { rule_id: rule, weight: 40 },
    { rule_id: added, weight: 40 },
  ])
  const now = String(await projectedHead(vigil))

  const { body } = await replay(id, now)

  expect(body).toMatchObject({
    recorded: { recipes: [{ score: 10 }] },
    recomputed: { recipes: [{ score: 80 }] },
  })
})

test('a replay as of another time runs the managed rules of then', async () => {
  const operate = sendAs(vigil, operatorToken)
  const managed = (expression: string) => ({ name: 'one', description: 'What it is.', expression })
  const path = '/v2/operator/managed/rules'
  const made = await operate('POST', path, managed('signal.existing_user'))
  const rule_id = String(made.body['id'])
  const flow = await shop.flow([await shop.recipe([{ rule_id, weight: 60 }])])
  const then = String(await projectedHead(vigil))
  await operate('PUT', `${path}/${rule_id}`, managed('!signal.existing_user'))
  const id = await evaluate(flow, { signals: { existing_user: true } })
  await projectedHead(vigil)

  const { body } = await replay(id, then)

  expect(body).toMatchObject({ recorded: { verdict: 'PASS' }, recomputed: { verdict: 'FLAG' } })
})

test('a signal that did not count is missing in a replay as of a time at which a rule reads it', async () => {
  const rule = await shop.rule('signal.existing_user')
  const recipe = await shop.recipe([{ rule_id: rule, weight: 60 }])
  const flow = await shop.flow([recipe])
  // without a dispatch an address does not count
  const id = await evaluate(flow, { signals: { existing_user: true, ip: '203.0.113.9' } })
  const reading = await shop.rule('signal.ip == "203.0.113.9"')
  await setRecipe(recipe, [{ rule_id: reading, weight: 60 }])
  const now = String(await projectedHead(vigil))

  const { body } = await replay(id, now)

  expect(body).toMatchObject({ recorded: { verdict: 'FLAG' }, recomputed: { verdict: 'PASS' } })
  expect(JSON.stringify(body['recomputed'])).toContain('signal.ip')
})
