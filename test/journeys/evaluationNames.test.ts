import { beforeAll, describe, expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { operatorToken, sendAs } from '../support/openVigil.ts'

type Result = Record<string, unknown>

const { vigil, shop } = await openShopOfFile()
let rule: string
/** The position of the last evaluation, which is answered before it is listed. */
let recordedAt = ''

beforeAll(async () => {
  rule = await shop.rule('1 == 1', 'Always')
})

const management = '/v2/watch/management'

async function made(kind: string, body: object): Promise<string> {
  const answer = await shop.send('POST', `${management}/${kind}`, body)
  expect(answer.status, answer.text).toBe(201)
  return String(answer.body['id'])
}

const recipeBody = (name: string, change: object = {}) => ({
  name,
  status: 'LIVE',
  threshold: 50,
  rules: [{ rule_id: rule, weight: 60 }],
  ...change,
})

/** A flow called Signup of a live recipe called Carts and a shadow one called Carts, stricter. */
async function signup() {
  const live = await made('recipes', recipeBody('Carts'))
  const shadow = await made('recipes', recipeBody('Carts, stricter', { status: 'SHADOW' }))
  const flow = await made('flows', { name: 'Signup', recipes: [live, shadow] })
  return { flow, live, shadow }
}

const evaluated = async (flow: string, headers = {}) => {
  const answer = await shop.evaluate(flow, {}, headers)
  expect(answer.status).toBe(200)
  recordedAt = String(answer.headers['x-vigil-position'])
  return answer.body
}
const shown = async (id: unknown) =>
  (await shop.send('GET', `/v2/watch/evaluations/${String(id)}`)).body
const listed = async (id: unknown): Promise<Result | undefined> => {
  const { body } = await shop.send(
    'GET',
    `/v2/watch/evaluations?limit=100&min_position=${recordedAt}`,
  )
  return (body['evaluations'] as Result[]).find((one) => one['id'] === id)
}

const names = {
  flow_name: 'Signup',
  recipes: [{ name: 'Carts' }],
  shadow_recipes: [{ name: 'Carts, stricter' }],
}

describe('a recorded evaluation', () => {
  test('names its flow and recipes; the answer of the evaluation does not', async () => {
    const { flow, live } = await signup()

    const answer = await evaluated(flow)

    const record = await shown(answer['id'])
    expect(Object.keys(answer)).toEqual(['id', 'verdict', 'recipes'])
    expect((answer['recipes'] as Result[]).map((recipe) => recipe['name'])).toEqual([undefined])
    expect(record).toMatchObject({
      ...names,
      flow_id: flow,
      recipes: [{ recipe_id: live, name: 'Carts', rules: [{ name: 'Always' }] }],
      explanation: [
        { name: 'Carts', status: 'LIVE' },
        { name: 'Carts, stricter', status: 'SHADOW' },
      ],
    })
  })

  test('keeps the names that there were when it ran, also when they are deleted', async () => {
    const { flow, live, shadow } = await signup()
    const { id } = await evaluated(flow)
    const { body: first } = await shop.send('GET', `${management}/flows/${flow}`)
    await shop.send('PUT', `${management}/recipes/${live}`, recipeBody('Baskets'))
    const renamed = { name: 'Registration', recipes: [live, shadow] }
    await shop.send('PUT', `${management}/flows/${flow}`, renamed)

    const later = await evaluated(flow)

    const since = { flow_name: 'Registration', recipes: [{ name: 'Baskets' }] }
    expect(await shown(id)).toMatchObject(names)
    expect(await listed(id)).toMatchObject(names)
    expect(await shown(later['id'])).toMatchObject(since)
    expect(await listed(later['id'])).toMatchObject(since)
    // the first version is made the current one again
    const path = `${management}/flows/${flow}/versions/${String(first['version_id'])}/restore`
    expect((await shop.send('POST', path)).status).toBe(200)
    expect(await shown(id)).toMatchObject(names)
    expect(await shown(later['id'])).toMatchObject(since)
    // they are deleted
    await shop.send('DELETE', `${management}/flows/${flow}`)
    for (const recipe of [live, shadow]) {
      await shop.send('DELETE', `${management}/recipes/${recipe}`)
    }
    expect(await shown(id)).toMatchObject(names)
    expect(await listed(id)).toMatchObject(names)
  })
})

describe('a managed rule', () => {
  const operate = (method: string, path: string, body: unknown) =>
    sendAs(vigil, operatorToken)(method, `/v2/operator/managed/rules${path}`, body)
  const managed = (description: string) => ({
    name: 'secret name',
    description,
    expression: 'signal.device_model == "secret value"',
  })

  test('is shown by the description it had, and never by name or version or what it reads', async () => {
    const { body } = await operate('POST', '', managed('Looks for throw-away numbers.'))
    const id = String(body['id'])
    const rules = [{ rule_id: id, weight: 60 }]
    const recipe = await made('recipes', recipeBody('With a managed rule', { rules }))
    const flow = await made('flows', { name: 'Payout', recipes: [recipe] })
    const { id: evaluation } = await evaluated(flow)
    await operate('PUT', `/${id}`, managed('Looks for something else.'))
    await shop.send('PUT', `${management}/recipes/${recipe}`, recipeBody('Without it'))
    await operate('DELETE', `/${id}`, undefined)

    const answer = await shop.send('GET', `/v2/watch/evaluations/${String(evaluation)}`)

    const described = {
      rule_id: id,
      type: 'MANAGED',
      description: 'Looks for throw-away numbers.',
      blocked_by: 'missing_data',
    }
    expect(answer.body).toMatchObject({
      recipes: [{ rules: [described] }],
      explanation: [{ rules: [described] }],
    })
    expect(answer.text).not.toContain('secret')
    expect((answer.body['recipes'] as { rules: Result[] }[])[0]?.rules[0]).not.toHaveProperty(
      'version_id',
    )
  })
})

describe('a flow that is tried', () => {
  test('has the names that it has, and a draft those it is given', async () => {
    const { flow, live } = await signup()
    const target = { phone_number: '+33612345678' }
    const written = { threshold: 10, rules: [{ rule_id: rule, weight: 20 }] }
    const draft = { recipes: [live, { ...written, name: 'Hurried' }, written] }

    const standing = await shop.send('POST', `${management}/flows/${flow}/test`, { target })
    const drafted = await shop.send('POST', `${management}/flows/${flow}/test`, { target, draft })

    expect(standing.body).toMatchObject(names)
    expect(drafted.body).toMatchObject({ flow_name: 'Signup' })
    const recipes = drafted.body['recipes'] as Result[]
    expect(recipes.map(({ name }) => name)).toEqual(['Carts', 'Hurried', undefined])
  })
})
