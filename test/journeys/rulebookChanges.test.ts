import { beforeAll, describe, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

const vigil = await openVigilOfFile()
let customer: Customer

const path = '/v2/watch/management/changes'
const rule = (name: string, expression = 'list.block') => ({ content: { name, expression } })
const recipe = (rules: readonly object[], change: object = {}) => ({
  content: { name: 'Together', status: 'LIVE', threshold: 50, rules, ...change },
})
const change = (body: object, headers: Record<string, string> = {}) =>
  customer.send('POST', path, body, headers)

interface Changed {
  readonly id: string
  readonly version_id: string
  readonly changed: boolean
}

const changedIn = (answer: { body: Record<string, unknown> }) =>
  answer.body as unknown as Record<'rules' | 'recipes' | 'flows', readonly Changed[]>
const detailsIn = (answer: { body: Record<string, unknown> }) =>
  answer.body['details'] as readonly { path: string; message: string }[]
const listed = async (kind: string) =>
  (await customer.send('GET', `/v2/watch/management/${kind}?limit=200`)).body[kind] as readonly {
    id: string
    name: string
  }[]
const everything = async () => [
  await listed('rules'),
  await listed('recipes'),
  await listed('flows'),
]

describe('several changes of a rulebook', () => {
  beforeAll(async () => {
    customer = await openCustomer(vigil)
  })

  test('are made in one write, and name what they make by its place', async () => {
    const answer = await change({
      flows: [{ content: { name: 'Signup', recipes: ['recipes.0'] } }],
      recipes: [
        recipe([
          { rule_id: 'rules.1', weight: 60 },
          { rule_id: 'rules.0', weight: 1 },
        ]),
      ],
      rules: [rule('First'), rule('Second', 'has(target.phone_number)')],
    })

    const { rules, recipes, flows } = changedIn(answer)
    const read = async (kind: string, id?: string) =>
      (await customer.send('GET', `/v2/watch/management/${kind}/${id}`)).body
    expect(answer.status).toBe(200)
    expect([...rules, ...recipes, ...flows].map(({ changed }) => changed)).toEqual(
      Array(4).fill(true),
    )
    expect(await read('rules', rules[1]?.id)).toMatchObject({
      name: 'Second',
      version_id: rules[1]?.version_id,
    })
    expect(await read('recipes', recipes[0]?.id)).toMatchObject({
      rules: [{ rule_id: rules[1]?.id }, { rule_id: rules[0]?.id }],
      version_id: recipes[0]?.version_id,
    })
    const verdict = await customer.evaluate(flows[0]?.id ?? '')
    expect(verdict.body).toMatchObject({ verdict: 'FLAG', recipes: [{ score: 60 }] })
  })

  test('replace, leave alone what says so already, and delete in an order that can be gone', async () => {
    const [kept, gone] = [
      await customer.rule('list.block', 'Kept'),
      await customer.rule('list.allow'),
    ]
    const holding = await customer.recipe([
      { rule_id: kept, weight: 1 },
      { rule_id: gone, weight: 1 },
    ])
    const leaving = await customer.recipe([{ rule_id: gone, weight: 1 }])
    const flow = await customer.flow([leaving])

    const answer = await change({
      rules: [
        { id: gone, delete: true },
        { id: kept, ...rule('Kept') },
      ],
      recipes: [
        { id: leaving, delete: true },
        { id: holding, ...recipe([{ rule_id: kept, weight: 5 }]) },
      ],
      flows: [{ id: flow, delete: true }],
    })

    const { rules, recipes, flows } = changedIn(answer)
    expect(answer.status).toBe(200)
    expect(rules).toEqual([
      { id: gone, changed: true },
      { id: kept, version_id: expect.stringMatching(/^ver_/), changed: false },
    ])
    expect(recipes.map(({ changed }) => changed)).toEqual([true, true])
    expect(flows).toEqual([{ id: flow, changed: true }])
    expect((await listed('rules')).map(({ id }) => id)).not.toContain(gone)
  })

  test('are refused with a condition in the header, which would hold for none of them', async () => {
    const before = await everything()

    const answer = await change({ rules: [rule('Conditional')] }, { 'if-match': '"a tag"' })

    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'If-Match' }] } })
    expect(await everything()).toEqual(before)
  })

  test('hold under an entity tag, and all of them fall with one that does not', async () => {
    const id = await customer.rule('list.block', 'Guarded')
    const { headers } = await customer.send('GET', `/v2/watch/management/rules/${id}`)
    const tag = String(headers['etag'])

    const stale = await change({
      rules: [rule('Falls too'), { id, if_match: '"stale"', ...rule('Changed') }],
    })
    const fresh = await change({ rules: [{ id, if_match: tag, ...rule('Changed') }] })

    expect(stale).toMatchObject({ status: 412, body: { code: 'precondition_failed' } })
    expect(detailsIn(stale).map((detail) => detail.path)).toEqual(['rules.1'])
    expect(fresh.status).toBe(200)
    expect((await listed('rules')).map(({ name }) => name)).not.toContain('Falls too')
  })
})

describe('changes of which one cannot be made', () => {
  beforeAll(async () => {
    customer = await openCustomer(vigil)
    await customer.flowOf('list.block')
  })

  test.each([{ dry_run: true }, { dry_run: false }])(
    'are all refused with %j, with a detail for everything that is wrong, and nothing is written',
    async (mode) => {
      const before = await everything()

      const answer = await change({
        ...mode,
        rules: [
          rule('Fine'),
          rule('Does not compile', 'signal.nothing == 1'),
          { content: { name: '' } },
        ],
        recipes: [
          recipe([
            { rule_id: 'rules.1', weight: 1 },
            { rule_id: 'rules.7', weight: 1 },
            { rule_id: 'rules.0', weight: 1, version_id: 'ver_unknown' },
          ]),
          recipe([], { parameters: { limit: 3 } }),
        ],
        flows: [
          { content: { name: 'Names a recipe that is refused', recipes: ['recipes.0'] } },
          { content: { name: 'Names one that is not there', recipes: ['recipes.9'] } },
          { id: 'flo_nowhere', delete: true },
        ],
      })

      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', param: 'request' },
      })
      expect(detailsIn(answer).map((detail) => detail.path)).toEqual([
        'rules.1.content.expression',
        'rules.2.content.expression',
        'rules.2.content.name',
        'recipes.0.content.rules.1.rule_id',
        'recipes.0.content.rules.2.version_id',
        'recipes.1.content.parameters',
        'flows.1.content.recipes.0',
        'flows.2',
      ])
      expect(detailsIn(answer)[0]?.message).toContain("undeclared reference to 'signal.nothing'")
      expect(await everything()).toEqual(before)
    },
  )

  test('are refused when more is wrong than an answer tells, whatever is untold', async () => {
    const colours = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`colour${at}`, at]))

    const answer = await change({ rules: [{ content: colours }, { content: {} }] })

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(detailsIn(answer)).toHaveLength(100)
  })

  test('are not compiled beyond the length of a rule, however many are too long', async () => {
    const long = rule('Long', `signal.ext.${'a'.repeat(4_096)} == "1"`)

    const answer = await change({ rules: Array.from({ length: 150 }, () => long) })

    expect(new Set(detailsIn(answer).map(({ message }) => message))).toEqual(
      new Set(['Must be a string of 1 to 4096 characters.']),
    )
  })

  test('say which recipes still hold a rule that is to go', async () => {
    const id = await customer.rule('list.block')
    const holder = await customer.recipe([{ rule_id: id, weight: 1 }])

    const answer = await change({ rules: [{ id, delete: true }] })

    expect(answer).toMatchObject({ status: 409, body: { code: 'rule_in_use' } })
    expect(detailsIn(answer)).toEqual([
      { path: 'rules.0', message: expect.stringContaining(holder) },
    ])
  })

  test('cannot be of what somebody else or the operator keeps, nor twice of the same', async () => {
    const stranger = await openCustomer(vigil)
    const foreign = await stranger.rule('list.block')
    const [managed] = (await customer.send('GET', '/v2/watch/management/rules/managed')).body[
      'rules'
    ] as readonly { id: string }[]
    const own = await customer.rule('list.block')

    const foreignly = await change({ rules: [{ id: foreign, ...rule('Mine') }] })
    const managing = await change({ rules: [{ id: managed?.id, ...rule('Mine') }] })
    const twice = await change({
      rules: [
        { id: own, ...rule('A') },
        { id: own, ...rule('B') },
      ],
    })

    expect(foreignly).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(managing).toMatchObject({ status: 403, body: { code: 'managed_rule_read_only' } })
    expect(detailsIn(twice)).toEqual([
      { path: 'rules.1', message: 'The request changes this one twice.' },
    ])
    expect((await stranger.send('GET', `/v2/watch/management/rules/${foreign}`)).body['name']).toBe(
      'a rule',
    )
  })

  test.each([
    [{ rules: [{}] }, ''],
    [{ rules: [{ id: 'rul_1' }] }, ''],
    [{ rules: [{ delete: true }] }, ''],
    [{ rules: [{ id: 'rul_1', delete: true, ...rule('Both') }] }, ''],
    [{ rules: [{ id: 'rul_1', delete: false }] }, 'rules.0.delete'],
    [{ rules: {} }, 'rules'],
    [{ rules: [{ content: { name: 'No condition' } }] }, 'rules.0.content.expression'],
    [
      { recipes: [{ content: { name: 'No rules', status: 'DRAFT', threshold: 50 } }] },
      'recipes.0.content.rules',
    ],
    [{ flows: [{ content: { name: 'No recipes' } }] }, 'flows.0.content.recipes'],
    [{ rulez: [] }, 'rulez'],
    [{ dry_run: 'yes' }, 'dry_run'],
  ])('%j is no request', async (body, place) => {
    const answer = await change(body)

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(detailsIn(answer).map((detail) => detail.path)).toContain(
      place === '' ? 'rules.0' : place,
    )
  })
})

describe('a dry run', () => {
  beforeAll(async () => {
    customer = await openCustomer(vigil)
  })

  test('says what would change and writes nothing', async () => {
    const id = await customer.rule('list.block', 'Stays')
    const before = await everything()

    const answer = await change({
      dry_run: true,
      rules: [rule('New'), { id, ...rule('Stays') }, { id, delete: true }],
      recipes: [recipe([{ rule_id: 'rules.0', weight: 1 }])],
    })
    const possible = await change({ dry_run: true, rules: [rule('New'), { id, ...rule('Stays') }] })

    expect(answer.status).toBe(400)
    expect(possible).toMatchObject({ status: 200 })
    expect(possible.body).toEqual({
      lists: [],
      rules: [{ changed: true }, { id, changed: false }],
      recipes: [],
      flows: [],
    })
    expect(await everything()).toEqual(before)
  })

  test('may be larger than what one write can hold', async () => {
    const expression = Array.from(
      { length: 60 },
      (_, at) => `signal.ext.name_${at} == "${at}"`,
    ).join(' || ')
    const rules = Array.from({ length: 250 }, (_, at) => rule(`Rule ${at}`, expression))

    const foreseen = await change({ dry_run: true, rules })
    const written = await change({ rules })

    expect(foreseen.status).toBe(200)
    expect(written).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    expect(await listed('rules')).toHaveLength(1)
  })
})
