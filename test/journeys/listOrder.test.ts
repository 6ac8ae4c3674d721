/** Lists come in the order made, although ids follow the clocks of the instances, which do not always go forward. */

import { beforeAll, describe, expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { operatorToken } from '../support/openVigil.ts'

type Body = Record<string, unknown>
const { vigil, shop } = await openShopOfFile()

const root = '/v2/watch/management'
const managedRoot = '/v2/operator/managed'

/** Who lists and makes it, and what is made; by the path of the collection. */
const collections: Readonly<Record<string, { plural: string; body: () => Promise<Body> }>> = {
  [`${root}/rules`]: {
    plural: 'rules',
    body: async () => ({ name: 'rule', expression: '1 == 1' }),
  },
  [`${root}/recipes`]: {
    plural: 'recipes',
    body: async () => ({ name: 'recipe', status: 'DRAFT', threshold: 1, rules: [] }),
  },
  [`${root}/flows`]: {
    plural: 'flows',
    body: async () => ({ name: 'flow', recipes: [await shop.recipe([])] }),
  },
  [`${managedRoot}/rules`]: {
    plural: 'rules',
    body: async () => ({ name: 'rule', description: 'What it does.', expression: '1 == 1' }),
  },
  [`${managedRoot}/recipes`]: {
    plural: 'recipes',
    body: async () => ({
      description: 'What it does.',
      threshold: 1,
      threshold_bounds: { min: 0, max: 100 },
      rules: [],
    }),
  },
  '/v2/operator/accounts': { plural: 'accounts', body: async () => ({ name: 'account' }) },
}

const replaceable = Object.keys(collections).filter((path) => !path.endsWith('accounts'))
const tokenFor = (path: string) => (path.startsWith('/v2/operator/') ? operatorToken : shop.token)
const idOf = (item: Body) => String(item['id'] ?? item['account_id'])

const startedMs = Date.now()
let steps = 0

/** What is made next has an id that sorts before all others. */
function clockGoesBack(): void {
  steps += 1
  vigil.setTime(startedMs - steps * 1_000)
}

async function make(path: string, number: number): Promise<string> {
  const body = await collections[path]?.body()
  clockGoesBack()
  const headers = { 'idempotency-key': `${path.replaceAll('/', '-')}-${number}` }
  const made = await vigil.door.request<Body>('POST', path, {
    token: tokenFor(path),
    headers,
    body,
  })
  expect(made.status).toBe(201)
  return idOf(made.body)
}

async function listed(path: string, limit: number): Promise<readonly string[]> {
  const ids: string[] = []
  let cursor = ''
  do {
    const page = `${path}?limit=${limit}${cursor}`
    const { body } = await vigil.door.request<Body>('GET', page, { token: tokenFor(path) })
    ids.push(...(body[collections[path]?.plural ?? ''] as Body[]).map(idOf))
    cursor = body['next_cursor'] === undefined ? '' : `&cursor=${body['next_cursor']}`
  } while (cursor !== '')
  return ids
}

describe.each(Object.keys(collections))('%s', (path) => {
  let made: string[]

  beforeAll(async () => {
    made = []
    for (let number = 0; number < 12; number += 1) made.push(await make(path, number))
  })

  test('is listed in the order made, in pages of any size', async () => {
    expect(made).not.toEqual(made.toSorted())

    for (const limit of [3, 5, 100]) {
      const found = (await listed(path, limit)).filter((id) => made.includes(id))
      expect(found).toEqual(made)
    }
  })
})

test.each(replaceable)('%s keeps what is replaced in its place', async (path) => {
  const made = [await make(path, 20), await make(path, 21), await make(path, 22)]
  const [first = '', second = ''] = made
  const body = { ...(await collections[path]?.body()), name: 'replaced' }
  for (const id of [second, first]) {
    const token = tokenFor(path)
    const replaced = await vigil.door.request('PUT', `${path}/${id}`, { token, body })
    expect(replaced.status).toBe(200)
  }

  const found = (await listed(path, 100)).filter((id) => made.includes(id))

  expect(found).toEqual(made)
})

test('what a rule is used by is listed in the order made', async () => {
  const rule = await shop.rule('1 == 1')
  const recipes: string[] = []
  const flows: string[] = []
  for (let number = 0; number < 8; number += 1) {
    clockGoesBack()
    const post = (kind: string, body: Body) => shop.send('POST', `${root}/${kind}`, body)
    const rules = [{ rule_id: rule, weight: 1 }]
    const recipe = await post('recipes', { name: 'r', status: 'DRAFT', threshold: 1, rules })
    recipes.push(idOf(recipe.body))
    flows.push(idOf((await post('flows', { name: 'f', recipes: [idOf(recipe.body)] })).body))
  }

  const usage = (await shop.send('GET', `${root}/rules/${rule}/usage`)).body

  expect(recipes).not.toEqual(recipes.toSorted())
  expect((usage['recipes'] as Body[]).map(idOf)).toEqual(recipes)
  expect((usage['flows'] as Body[]).map(idOf)).toEqual(flows)
})
