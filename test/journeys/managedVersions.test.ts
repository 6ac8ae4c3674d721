import { describe, expect, test } from 'vitest'
import { shippedId } from '../../src/domain/ids.ts'
import { openShopOfFile } from '../support/openOfFile.ts'
import { operatorToken, sendAs } from '../support/openVigil.ts'
import { withoutWarnings } from '../support/withoutWarnings.ts'

const { vigil, shop } = await openShopOfFile()

type Body = Record<string, unknown>
const root = '/v2/operator/managed'
const absent = '01jc0t6fwwfgfsq1md24mhyztj'

const operate = (
  method: string,
  path: string,
  [body, headers]: readonly [(object | undefined)?, Record<string, string>?] = [],
) => sendAs(vigil, operatorToken)(method, `${root}/${path}`, body, headers)
const versionsOf = async (path: string, query = '') =>
  (await operate('GET', `${path}/versions${query}`)).body['versions'] as Body[]
const restore = (path: string, version: unknown) =>
  operate('POST', `${path}/versions/${version}/restore`)
const detailsOf = ({ body }: { body: Body }) =>
  (body['details'] as Body[] | undefined)?.map(({ path }) => path)

const ruleBody = (expression: string, more: object = {}) => ({
  name: 'secret name',
  description: 'What it looks for.',
  expression,
  ...more,
})
const recipeBody = (rules: readonly unknown[], more: object = {}) => ({
  description: 'What it is for.',
  threshold: 50,
  threshold_bounds: { min: 20, max: 80 },
  parameters: [],
  rules,
  ...more,
})

/** A managed rule as it was made, and the path of it. */
async function rule(expression: string, more: object = {}): Promise<{ path: string; made: Body }> {
  const { body } = await operate('POST', 'rules', [ruleBody(expression, more)])
  const made = withoutWarnings(body)
  return { path: `rules/${made['id']}`, made }
}

async function recipe(rules: readonly unknown[], more: object = {}) {
  const { body } = await operate('POST', 'recipes', [recipeBody(rules, more)])
  const made = withoutWarnings(body)
  return { path: `recipes/${made['id']}`, made }
}

describe('versions', () => {
  test('of a managed recipe show what it held; the same content again is none', async () => {
    const { made: member } = await rule('1 == 1')
    const rules = [{ rule_id: member['id'], weight: 5, preempts: 'FLAG' }]
    const parameters = [{ name: 'limit', type: 'INT', default_value: '10', value_min: 1 }]
    const { path, made } = await recipe(rules, { parameters })
    await operate('PUT', path, [recipeBody(rules, { parameters })])

    const { id: _, ...content } = made
    expect(await versionsOf(path)).toEqual([
      {
        ...content,
        change: 'created',
        changed_at: expect.any(String),
        changed_by: 'operator',
        created_at: expect.any(String),
        created_by: 'operator',
        current: true,
      },
    ])
  })

  test('of what ships with the product are there, and not the operator’s', async () => {
    const [version, ...older] = await versionsOf(`rules/${shippedId('rul', 'plus-address')}`)

    expect(older).toEqual([])
    expect(version).toMatchObject({ created_by: 'service', current: true })
  })

  test('of what customers keep, or nobody, are not found', async () => {
    const theirs = await shop.rule('1 == 1')
    const { made } = await rule('1 == 1')

    for (const id of [theirs, `rul_${absent}`, 'rubbish']) {
      expect((await operate('GET', `rules/${id}/versions`)).status).toBe(404)
      expect((await restore(`rules/${id}`, made['version_id'])).status).toBe(404)
    }
  })
})

describe('an earlier version made current again', () => {
  test('runs in the recipes of customers, and is described to them as it was', async () => {
    const { path, made } = await rule('1 == 1')
    const flow = await shop.flow([await shop.recipe([{ rule_id: made['id'], weight: 60 }])])
    await operate('PUT', path, [ruleBody('1 == 2', { description: 'Second.' })])
    const before = await shop.evaluate(flow)

    const restored = await restore(path, made['version_id'])
    const after = await shop.evaluate(flow)

    expect([before.body['verdict'], after.body['verdict']]).toEqual(['PASS', 'FLAG'])
    expect([restored.status, withoutWarnings(restored.body)]).toEqual([200, made])
    const [first] = await versionsOf(path)
    expect(first).toMatchObject({ change: 'restored', restored_by: 'operator', current: true })
    const offered = await shop.send('GET', '/v2/watch/management/rules/managed?limit=200')
    expect(offered.body['rules']).toContainEqual({
      id: made['id'],
      type: 'MANAGED',
      description: 'What it looks for.',
    })
    const replay = await shop.send('POST', `/v2/watch/evaluations/${before.body['id']}/replay`)
    expect(replay.body).toEqual({ result: 'MATCH', differences: [] })
  })

  test('of a recipe counts for those that extend it', async () => {
    const { made: member } = await rule('1 == 1')
    const { path, made } = await recipe([{ rule_id: member['id'], weight: 60 }])
    const saved = await shop.recipe([], { base_recipe_id: made['id'] })
    const flow = await shop.flow([saved])
    await operate('PUT', path, [recipeBody([])])
    const before = await shop.evaluate(flow)

    const restored = await restore(path, made['version_id'])
    const after = await shop.evaluate(flow)

    expect([before.body['verdict'], after.body['verdict']]).toEqual(['PASS', 'FLAG'])
    expect(withoutWarnings(restored.body)).toEqual(made)
    expect((await operate('GET', path)).body).toEqual(made)
  })

  test('of a recipe keeps its rules from being deleted, and is refused when one is gone', async () => {
    const [one, other] = [await rule('1 == 1'), await rule('2 == 2')]
    const rules = [one, other].map(({ made }) => ({ rule_id: made['id'], weight: 1 }))
    const { path, made } = await recipe(rules)
    await operate('PUT', path, [recipeBody([])])
    await restore(path, made['version_id'])

    const kept = await operate('DELETE', other.path)
    await operate('PUT', path, [recipeBody([])])
    await operate('DELETE', other.path)
    const refused = await restore(path, made['version_id'])

    expect(kept.body).toMatchObject({ code: 'rule_in_use', details: [{ message: made['id'] }] })
    expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_request'])
    expect(detailsOf(refused)).toEqual(['rules.1.rule_id'])
    expect((await operate('GET', path)).body['rules']).toEqual([])
  })
})

describe('If-Match', () => {
  test('of a stale tag is said before that a recipe uses the rule', async () => {
    const { path, made } = await rule('1 == 1')
    await shop.recipe([{ rule_id: made['id'], weight: 1 }])

    const stale = await operate('DELETE', path, [undefined, { 'if-match': '"old"' }])
    const used = await operate('DELETE', path, [undefined, { 'if-match': '*' }])

    expect([stale.body['code'], used.body['code']]).toEqual(['precondition_failed', 'rule_in_use'])
  })
})
