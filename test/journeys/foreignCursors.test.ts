/** A cursor goes on in the list that answered it; in another it would look as if there were nothing more. */

import { expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openCustomer } from '../support/openVigil.ts'

const { vigil, shop } = await openShopOfFile()
const other = await openCustomer(vigil)

const rules = '/v2/watch/management/rules'

test('a cursor is refused by every list but its own', async () => {
  const id = await shop.rule('list.block')
  const sibling = await shop.rule('list.allow')
  const recipes = [{ rule_id: id, weight: 1 }]
  await shop.recipe(recipes)
  await shop.send('PUT', `${rules}/${id}`, { name: 'a rule', expression: '!list.block' })
  await other.rule('list.block')
  const cursorOf = async (path: string) =>
    String((await shop.send('GET', `${path}?limit=1`)).body['next_cursor'])
  const ofRules = await cursorOf(rules)
  const ofVersions = await cursorOf(`${rules}/${id}/versions`)

  const own = await shop.send('GET', `${rules}?cursor=${ofRules}`)
  const ownVersions = await shop.send('GET', `${rules}/${id}/versions?cursor=${ofVersions}`)
  const refused = await Promise.all([
    shop.send('GET', `/v2/watch/management/recipes?cursor=${ofRules}`),
    shop.send('GET', `${rules}?cursor=${ofVersions}`),
    shop.send('GET', `${rules}/${id}/versions?cursor=${ofRules}`),
    shop.send('GET', `${rules}/${sibling}/versions?cursor=${ofVersions}`),
    other.send('GET', `${rules}?cursor=${ofRules}`),
  ])

  expect(own).toMatchObject({ status: 200, body: { rules: [{ id: sibling }] } })
  expect(ownVersions).toMatchObject({ status: 200, body: { versions: [{ change: 'created' }] } })
  for (const { status, body } of refused) {
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ path: 'cursor' }] } })
  }
})
