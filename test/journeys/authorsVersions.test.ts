import { describe, expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { operatorToken } from '../support/openVigil.ts'
import { withoutWarnings } from '../support/withoutWarnings.ts'

const { vigil, shop } = await openShopOfFile()

type Body = Record<string, unknown>
const root = '/v2/watch/management'
const absent = '01jc0t6fwwfgfsq1md24mhyztj'

const versionsOf = async (path: string, query = '') =>
  (await shop.send('GET', `${root}/${path}/versions${query}`)).body['versions'] as Body[]
const restore = (path: string, version: unknown) =>
  shop.send('POST', `${root}/${path}/versions/${version}/restore`)
const put = async (path: string, body: object) =>
  withoutWarnings((await shop.send('PUT', `${root}/${path}`, body)).body)
const detailsOf = ({ body }: { body: Body }) =>
  (body['details'] as Body[] | undefined)?.map(({ path }) => path)

describe('versions', () => {
  test('say who made which, when and what, the newest first', async () => {
    vigil.setTime(Date.parse('2026-11-21T10:00:00Z'))
    const id = await shop.rule('1 == 1', 'first')
    vigil.setTime(Date.parse('2026-11-21T11:00:00Z'))
    const second = await put(`rules/${id}`, { name: 'second', expression: '2 == 2' })

    const listed = await versionsOf(`rules/${id}`)

    expect(listed).toEqual([
      {
        change: 'created',
        changed_at: '2026-11-21T11:00:00.000Z',
        changed_by: shop.tokenId,
        version_id: second['version_id'],
        name: 'second',
        expression: '2 == 2',
        created_at: '2026-11-21T11:00:00.000Z',
        created_by: shop.tokenId,
        current: true,
      },
      {
        change: 'created',
        changed_at: '2026-11-21T10:00:00.000Z',
        changed_by: shop.tokenId,
        version_id: expect.stringMatching(/^ver_/),
        name: 'first',
        expression: '1 == 1',
        created_at: '2026-11-21T10:00:00.000Z',
        created_by: shop.tokenId,
        current: false,
      },
    ])
  })

  test('of recipes and flows show what they held, and a new status alone makes none', async () => {
    const rule = await shop.rule('1 == 1')
    const recipe = await shop.recipe([{ rule_id: rule, weight: 10 }])
    const flow = await shop.flow([recipe])
    await put(`recipes/${recipe}`, {
      name: 'a recipe',
      status: 'SHADOW',
      threshold: 50,
      rules: [{ rule_id: rule, weight: 10 }],
    })

    const ofRecipe = await versionsOf(`recipes/${recipe}`)
    const [ofFlow] = await versionsOf(`flows/${flow}`)

    expect(ofRecipe.map(({ change, status }) => [change, status])).toEqual([
      ['status_set', 'SHADOW'],
      ['created', 'LIVE'],
    ])
    expect(new Set(ofRecipe.map(({ version_id }) => version_id)).size).toBe(1)
    for (const version of ofRecipe) {
      expect(version).toMatchObject({ threshold: 50, rules: [{ rule_id: rule, weight: 10 }] })
    }
    expect(ofFlow).toMatchObject({ name: 'a flow', recipes: [recipe], current: true })
  })

  test.each(['rules', 'recipes', 'flows'])('of deleted %s are still read', async (kind) => {
    const recipe = await shop.recipe([])
    const made = { rules: () => shop.rule('1 == 1'), recipes: () => shop.recipe([]) }
    const id = await (kind === 'flows' ? shop.flow([recipe]) : made[kind as 'rules']())
    const [before] = await versionsOf(`${kind}/${id}`)
    const path = `${root}/${kind}/${id}`
    vigil.setTime(Date.parse('2026-11-23T10:00:00Z'))
    await shop.send('DELETE', path)

    const listed = await versionsOf(`${kind}/${id}`)

    const [deleted, created] = listed
    expect(listed).toHaveLength(2)
    expect(deleted).toEqual({
      ...before,
      change: 'deleted',
      changed_at: '2026-11-23T10:00:00.000Z',
      changed_by: shop.tokenId,
      status: undefined,
      current: false,
    })
    expect(deleted).not.toHaveProperty('status')
    expect(created).toEqual({ ...before, current: false })
    const restored = await restore(`${kind}/${id}`, before?.['version_id'])
    expect([(await shop.send('GET', path)).status, restored.status]).toEqual([404, 404])
  })
})

describe('an earlier version made current again', () => {
  test('is what runs, keeps its id, and says who brought it back and when', async () => {
    const id = await shop.rule('1 == 1', 'first')
    const first = (await shop.send('GET', `${root}/rules/${id}`)).body
    const flow = await shop.flow([await shop.recipe([{ rule_id: id, weight: 60 }])])
    await put(`rules/${id}`, { name: 'second', expression: '1 == 2' })
    const before = await shop.evaluate(flow)

    vigil.setTime(Date.parse('2026-11-21T12:00:00Z'))
    const restored = await restore(`rules/${id}`, first['version_id'])
    const after = await shop.evaluate(flow)

    expect([before.body['verdict'], after.body['verdict']]).toEqual(['PASS', 'FLAG'])
    expect([restored.status, withoutWarnings(restored.body)]).toEqual([200, first])
    expect((await shop.send('GET', `${root}/rules/${id}`)).body).toEqual(first)
    const listed = await versionsOf(`rules/${id}`)
    expect(listed.map(({ change, name, current }) => [change, name, current])).toEqual([
      ['restored', 'first', true],
      ['created', 'second', false],
      ['created', 'first', true],
    ])
    expect(listed[0]).toMatchObject({
      changed_at: '2026-11-21T12:00:00.000Z',
      changed_by: shop.tokenId,
      restored_at: '2026-11-21T12:00:00.000Z',
      restored_by: shop.tokenId,
    })
    expect(listed[1]).not.toHaveProperty('restored_at')
  })

  test('of a recipe keeps the status that the recipe has', async () => {
    const rule = await shop.rule('1 == 1')
    const content = { name: 'r', threshold: 50, rules: [{ rule_id: rule, weight: 60 }] }
    const id = await shop.recipe(content.rules, { ...content, status: 'DRAFT' })
    const first = (await versionsOf(`recipes/${id}`))[0]?.['version_id']
    await put(`recipes/${id}`, { ...content, threshold: 70, status: 'LIVE' })

    const body = withoutWarnings((await restore(`recipes/${id}`, first)).body)

    expect(body).toEqual({ id, version_id: first, ...content, status: 'LIVE' })
    expect((await shop.send('GET', `${root}/recipes/${id}`)).body).toEqual(body)
  })

  test('of a recipe is refused when a rule of it is gone, and names the place', async () => {
    const rules = [await shop.rule('1 == 1'), await shop.rule('2 == 2')]
    const id = await shop.recipe(rules.map((rule_id) => ({ rule_id, weight: 1 })))
    const first = (await versionsOf(`recipes/${id}`))[0]?.['version_id']
    await put(`recipes/${id}`, { name: 'r', status: 'LIVE', threshold: 1, rules: [] })
    await shop.send('DELETE', `${root}/rules/${rules[1]}`)

    const refused = await restore(`recipes/${id}`, first)

    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request'])
    expect(detailsOf(refused)).toEqual(['rules.1.rule_id'])
  })

  test('of a flow is refused when a recipe of it is gone; else its recipes run again', async () => {
    const [one, other] = [await shop.recipe([]), await shop.recipe([])]
    const id = await shop.flow([one, other])
    const first = (await versionsOf(`flows/${id}`))[0]?.['version_id']
    const second = (await put(`flows/${id}`, { name: 'f', recipes: [one] }))['version_id']

    const back = await restore(`flows/${id}`, first)
    await restore(`flows/${id}`, second)
    await shop.send('DELETE', `${root}/recipes/${other}`)
    const refused = await restore(`flows/${id}`, first)

    expect(back.body['recipes']).toEqual([one, other])
    expect([refused.status, detailsOf(refused)]).toEqual([400, ['recipes.1']])
  })

  test('when it is the current one changes nothing, not even the position', async () => {
    const id = await shop.rule('1 == 1')
    const current = await shop.send('GET', `${root}/rules/${id}`)

    const same = await restore(`rules/${id}`, current.body['version_id'])

    expect([same.status, withoutWarnings(same.body)]).toEqual([200, current.body])
    expect(same.headers['x-vigil-position']).toBe(current.headers['x-vigil-position'])
    expect((await versionsOf(`rules/${id}`))[0]).not.toHaveProperty('restored_at')
  })

  test('that nobody knows is not found, nor is one of another rule or of a deleted one', async () => {
    const [id, other] = [await shop.rule('1 == 1'), await shop.rule('1 == 1')]
    const theirs = (await versionsOf(`rules/${other}`))[0]?.['version_id']
    const own = (await versionsOf(`rules/${id}`))[0]?.['version_id']

    expect((await restore(`rules/${id}`, `ver_${absent}`)).status).toBe(404)
    expect((await restore(`rules/${id}`, 'ver_x')).status).toBe(404)
    expect((await restore(`rules/${id}`, theirs)).status).toBe(404)
    await shop.send('DELETE', `${root}/rules/${id}`)
    expect((await restore(`rules/${id}`, own)).status).toBe(404)
  })
})

describe('entity tags', () => {
  test('of a recipe change with its status, though its version does not', async () => {
    const content = { name: 'r', threshold: 50, rules: [] }
    const made = await shop.send('POST', `${root}/recipes`, { ...content, status: 'DRAFT' })
    const path = `${root}/recipes/${made.body['id']}`

    const live = await shop.send('PUT', path, { ...content, status: 'LIVE' })

    expect(live.body['version_id']).toBe(made.body['version_id'])
    expect(live.headers.etag).not.toBe(made.headers.etag)
    expect((await shop.send('GET', path)).headers.etag).toBe(live.headers.etag)
  })
})

const sides = [
  { who: 'an account', at: root, tokenOf: () => shop.token, content: {} },
  {
    who: 'the operator',
    at: '/v2/operator/managed',
    tokenOf: () => operatorToken,
    content: { description: 'What it looks for.' },
  },
] as const

describe.each(sides)('a rule of $who', ({ at, tokenOf, content }) => {
  type Sent = readonly [body?: object | undefined, headers?: Record<string, string>]
  const send = (method: string, path: string, [body, headers]: Sent = []) =>
    vigil.door.request<Body>(method, `${at}/${path}`, {
      token: tokenOf(),
      ...(body && { body: { ...content, ...body } }),
      ...(headers && { headers }),
    })
  const one = { name: 'one', expression: '1 == 1' }
  const two = { name: 'two', expression: '2 == 2' }
  const make = async () => `rules/${(await send('POST', 'rules', [one])).body['id']}`
  const changes = [
    { name: 'PUT', method: 'PUT', tail: () => '', body: { name: 'x', expression: '3 == 3' } },
    { name: 'DELETE', method: 'DELETE', tail: () => '', body: undefined },
    {
      name: 'a restore',
      method: 'POST',
      tail: (first: unknown) => `/versions/${first}/restore`,
      body: undefined,
    },
  ] as const

  test('has one entity tag however it is read, and another once it is changed', async () => {
    const made = await send('POST', 'rules', [one])
    const path = `rules/${made.body['id']}`
    const read = await send('GET', path)
    const changed = await send('PUT', path, [two])
    const back = await send('POST', `${path}/versions/${made.body['version_id']}/restore`)

    const tags = [made, read, changed, back].map(({ headers }) => headers.etag)

    expect(tags[0]).toMatch(/^"[\w-]{20,}"$/)
    expect([tags[1], tags[3]]).toEqual([tags[0], tags[0]])
    expect(tags[2]).not.toBe(tags[0])
  })

  test('is skipped by a caller that has it: 304, no body', async () => {
    const path = await make()
    const { etag = '' } = (await send('GET', path)).headers
    const unless = (tag: string) => send('GET', path, [undefined, { 'if-none-match': tag }])

    for (const value of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
      const same = await unless(value)
      expect([same.status, same.text, same.headers.etag]).toEqual([304, '', etag])
    }
    expect((await unless('"other"')).status).toBe(200)
    expect((await unless('rubbish')).status).toBe(200)
  })

  test.each(changes)('under a stale tag is left alone by $name: 412', async (change) => {
    const path = await make()
    const first = await send('GET', path)
    const second = await send('PUT', path, [two])
    const { etag: stale = '' } = first.headers

    const to = `${path}${change.tail(first.body['version_id'])}`
    for (const value of [stale, '"other"', `W/${stale}`, `"a","b"`]) {
      const refused = await send(change.method, to, [change.body, { 'if-match': value }])
      expect([refused.status, refused.body['code']]).toEqual([412, 'precondition_failed'])
    }

    expect((await send('GET', path)).body).toEqual(withoutWarnings(second.body))
  })

  test.each(changes)('under its present tag, or *, takes $name', async (change) => {
    for (const any of [false, true]) {
      const path = await make()
      const first = (await send('GET', path)).body
      const { etag = '' } = (await send('PUT', path, [two])).headers

      const to = `${path}${change.tail(first['version_id'])}`
      const headers = { 'if-match': any ? '*' : `"old", ${etag}` }
      const done = await send(change.method, to, [change.body, headers])

      expect(done.status).toBe(change.method === 'DELETE' ? 204 : 200)
    }
  })

  test('that is gone: a delete under any tag is 412, a change is 404 as without one', async () => {
    const path = await make()
    await send('DELETE', path)

    const any = { 'if-match': '*' }
    expect((await send('DELETE', path, [undefined, any])).status).toBe(412)
    expect((await send('PUT', path, [one, any])).status).toBe(404)
  })

  test('is changed by one of many clients that read the same and write at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const path = await make()
      const { etag = '' } = (await send('GET', path)).headers

      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, client) =>
          send('PUT', path, [{ ...one, name: `client ${client}` }, { 'if-match': etag }]),
        ),
      )

      const through = answers.filter(({ status }) => status === 200)
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412])
      expect((await send('GET', path)).body).toEqual(withoutWarnings(through[0]?.body ?? {}))
    }
  })
})

describe('If-Match', () => {
  test('is not asked again when the same command comes a second time', async () => {
    const path = `rules/${await shop.rule('1 == 1')}`
    const { etag = '' } = (await shop.send('GET', `${root}/${path}`)).headers
    const send = () =>
      shop.send(
        'PUT',
        `${root}/${path}`,
        { name: 'changed', expression: '1 == 1' },
        { 'if-match': etag, 'idempotency-key': `change-${path}` },
      )

    const [one, again] = [await send(), await send()]

    expect([one.status, again.status]).toEqual([200, 200])
    expect(again.text).toBe(one.text)
  })

  test('without it, the answer to each of two changes shows its own', async () => {
    const path = `${root}/rules/${await shop.rule('1 == 1')}`
    const names = Array.from({ length: 8 }, (_, at) => `name ${at}`)

    const answers = await Promise.all(
      names.map((name) => shop.send('PUT', path, { name, expression: '1 == 1' })),
    )

    expect(answers.map(({ body }) => body['name'])).toEqual(names)
  })
})
