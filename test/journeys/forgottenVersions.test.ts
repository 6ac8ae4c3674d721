/** Versions that no memory holds any more are pinned, run, tried, named and restored as if they were. */

import { expect, test, vi } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer } from '../support/openVigil.ts'

let { vigil, shop } = await openShopOfFile()

type Body = Record<string, unknown>
const root = '/v2/watch/management'
const target = { phone_number: '+33612345678' }

/** Puts the rule, each time with another content, and answers the ids of the versions. */
async function versionsOf(rule: string, expressions: readonly string[]) {
  const versions: string[] = []
  for (const [index, expression] of expressions.entries()) {
    const body = { name: `content ${index}`, expression }
    versions.push(
      String((await shop.send('PUT', `${root}/rules/${rule}`, body)).body['version_id']),
    )
  }
  return versions
}

const recipeBody = (rule: string, version: string | undefined) => ({
  name: 'pins',
  status: 'LIVE',
  threshold: 10,
  rules: [{ rule_id: rule, weight: 10, ...(version && { version_id: version }) }],
})

test('a version that never was is pinned by nothing', async () => {
  const rule = await shop.rule('1 == 1')
  const other = await shop.rule('1 == 2')
  const [foreign = ''] = await versionsOf(other, ['1 == 3', '1 == 4'])

  for (const version of [foreign, foreign.replace(/.$/, '0')]) {
    const refused = await shop.send('POST', `${root}/recipes`, recipeBody(rule, version))
    const change = { recipes: [{ content: recipeBody(rule, version) }] }
    const together = await shop.send('POST', `${root}/changes`, change)

    expect([refused.status, together.status]).toEqual([400, 400])
  }
})

test('an old version is pinned by many changes at once, and by a draft', async () => {
  const rule = await shop.rule('1 == 2')
  const [flags] = await versionsOf(rule, ['1 == 1', '1 == 3', '1 == 4'])
  const change = { recipes: [{ content: recipeBody(rule, flags) }] }
  const dry = await shop.send('POST', `${root}/changes`, { ...change, dry_run: true })
  const flow = await shop.flow([await shop.recipe([])])
  const { name: _, ...drafted } = recipeBody(rule, flags)

  const tried = await shop.send('POST', `${root}/flows/${flow}/test`, {
    draft: { recipes: [drafted] },
    target,
  })
  const changed = await shop.send('POST', `${root}/changes`, change)

  expect([dry.status, changed.status]).toEqual([200, 200])
  // said of what the version says
  const warned = [expect.objectContaining({ code: 'recipe_always_flags' })]
  expect([dry.body['warnings'], changed.body['warnings']]).toEqual([warned, warned])
  expect([tried.status, tried.body['verdict']]).toEqual([200, 'FLAG'])
})

test('given a recipe that pinned an old version, when it is restored, then its events contain the version and it runs', async () => {
  const rule = await shop.rule('1 == 2')
  const [flags] = await versionsOf(rule, ['1 == 1', '1 == 3'])
  const made = (await shop.send('POST', `${root}/recipes`, recipeBody(rule, flags))).body
  const path = `${root}/recipes/${made['id']}`
  const flow = await shop.flow([String(made['id'])])
  await shop.send('PUT', path, recipeBody(rule, undefined))
  const before = await shop.evaluate(flow)

  const restored = await shop.send('POST', `${path}/versions/${made['version_id']}/restore`)
  const after = await shop.evaluate(flow)

  expect([restored.status, before.body['verdict'], after.body['verdict']]).toEqual([
    ...[200, 'PASS', 'FLAG'],
  ])
  const { events } = vigil.service.context
  const recorded = await events.readStream(`rulebook-${shop.accountId}`, { from: 0, limit: 500 })
  const published = recorded
    .filter(({ type, data }) => type.startsWith('Recipe') && data.includes(String(made['id'])))
    .map(({ data }) => JSON.parse(data) as { readonly pinned?: readonly { text: string }[] })
  const textsOf = published.map(({ pinned }) => pinned?.map(({ text }) => text))
  expect(textsOf).toEqual([['1 == 1'], undefined, ['1 == 1']])
})

test('given an old version that asks a list, when one request pins it and deletes the list, then it is refused', async () => {
  const list = await shop.list('asked', 'text')
  const rule = await shop.rule('1 == 2')
  const [old] = await versionsOf(rule, ['inList("asked", signal.ext.a)', '1 == 3'])

  const refused = await shop.send('POST', `${root}/changes`, {
    recipes: [{ content: recipeBody(rule, old) }],
    lists: [{ id: list, delete: true }],
  })

  expect([refused.status, refused.body['code']]).toEqual([409, 'list_in_use'])
})

test('given read models that are behind, when a version that they lack is pinned, then it is answered once they know it', async () => {
  const { a } = await openTwoInstances()
  const { send, rule } = await openCustomer(a)
  const id = await rule('1 == 2')
  a.projecting.freeze()
  const isBehind = vi.spyOn(a.context.projections, 'waitFor').mockResolvedValue(false)
  const { body } = await send('PUT', `${root}/rules/${id}`, { name: 'old', expression: '1 == 1' })
  await send('PUT', `${root}/rules/${id}`, { name: 'new', expression: '1 == 3' })
  const pins = recipeBody(id, String(body['version_id']))

  const behind = await send('POST', `${root}/recipes`, pins)
  isBehind.mockRestore()
  a.projecting.thaw()
  const caughtUp = await send('POST', `${root}/recipes`, pins)

  expect([behind.status, behind.body['code'], caughtUp.status]).toEqual([503, 'unavailable', 201])
})

test('an old version is pinned, and runs also after a restart', async () => {
  const rule = await shop.rule('1 == 2')
  const [flags] = await versionsOf(rule, ['1 == 1', '1 == 3', '1 == 4'])
  const recipe = await shop.send('POST', `${root}/recipes`, recipeBody(rule, flags))
  expect(recipe.status).toBe(201)
  const flow = await shop.flow([String(recipe.body['id'])])
  const evaluate = async () => {
    const asked = { token: shop.token, body: { flow_id: flow, target } }
    const { body } = await vigil.door.request<Body>('POST', '/v2/watch/eval', asked)
    return body['verdict']
  }

  const before = await evaluate()
  vigil = await vigil.restart()
  const after = await evaluate()

  expect([before, after]).toEqual(['FLAG', 'FLAG'])
})
