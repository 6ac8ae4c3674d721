/** What holds of every list that is answered in pages: joined they are the list, and its cursors go on in no other. */

import { expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

const { vigil, shop } = await openShopOfFile()
const stranger = await openCustomer(vigil)

const authoring = '/v2/watch/management'
const management = '/v2/verification/management'
const target = { type: 'phone_number', value: '+33612345678' }
const phone = encodeURIComponent(target.value)

/** Sends three requests and gives the ids of what they made. */
async function three(method: string, path: string, body: (number: number) => object) {
  const ids: string[] = []
  for (const number of [1, 2, 3]) {
    const made = await shop.send(method, path, body(number))
    if (made.status > 299) throw new Error(`${path}: ${made.text}`)
    ids.push(String(made.body?.['id'] ?? made.body?.['app_id']))
  }
  return ids
}

const rules = await three('POST', `${authoring}/rules`, (number) => ({
  name: `rule ${number}`,
  expression: 'list.block',
}))
const recipes = await three('POST', `${authoring}/recipes`, (threshold) => ({
  name: 'recipe',
  status: 'LIVE',
  threshold,
  rules: [],
}))
const flows = await three('POST', `${authoring}/flows`, () => ({ name: 'flow', recipes }))
const lists = await three('POST', `${authoring}/lists`, (number) => ({
  name: `list_${number}`,
  kind: 'text',
}))
const templates = await three('POST', `${management}/templates`, () => ({ name: 'A' }))
const apps = await three('POST', '/v2/session/apps', () => ({ name: 'App' }))
const usersPath = `/v2/session/apps/${apps[0]}/users`
const users = await three('POST', usersPath, (number) => ({
  identifiers: [{ type: 'customer_user_id', value: `user ${number}` }],
}))
const versions = `${authoring}/rules/${rules[0]}/versions`
const entries = `${authoring}/lists/${lists[0]}/entries`
const block = `${management}/phone-numbers/block`
await three('PUT', `${authoring}/rules/${rules[0]}`, (number) => ({
  name: `version ${number}`,
  expression: 'list.block',
}))
await three('POST', entries, (number) => ({ value: `value ${number}` }))
await three('POST', entries, (number) => ({ value: 'value 1', reason: `${number}` }))
await three('POST', block, (number) => ({ phone_number: `+3361234567${number}` }))
await three('POST', block, (number) => ({ phone_number: '+33612345671', reason: `${number}` }))
await three('POST', `${usersPath}/${users[0]}/sessions`, () => ({}))
const reported = { target, type: 'verification.started' }
await three('POST', '/v2/watch/feedback', () => ({ feedbacks: [reported] }))
await three('POST', '/v2/watch/event', () => ({
  events: [{ target, label: 'account.banned', confidence: 'high' }],
}))
await three('POST', '/v2/watch/eval', () => ({
  flow_id: flows[0],
  target: { phone_number: target.value },
}))
await projectedHead(vigil)

/** By their paths: the field of the answer, and the ids where they come in the order made. */
const paged = {
  [`${authoring}/rules?`]: ['rules', rules],
  [`${authoring}/recipes?`]: ['recipes', recipes],
  [`${authoring}/flows?`]: ['flows', flows],
  [`${authoring}/lists?`]: ['lists', lists],
  [`${management}/templates?`]: ['templates', templates],
  '/v2/session/apps?': ['apps', apps],
  [`${usersPath}?`]: ['users', users],
  [`${usersPath}/${users[0]}/sessions?`]: ['sessions'],
  [`${versions}?`]: ['versions'],
  [`${entries}?`]: ['entries'],
  [`${entries}/history?value=value+1&`]: ['changes'],
  [`${block}?`]: ['phone_numbers'],
  [`${block}/history?phone_number=%2B33612345671&`]: ['changes'],
  '/v2/watch/feedback?': ['feedbacks'],
  '/v2/watch/feedback?order=oldest&': ['feedbacks'],
  [`/v2/watch/event?phone_number=${phone}&`]: ['events'],
  [`/v2/watch/evaluations?phone_number=${phone}&`]: ['evaluations'],
} as const satisfies Readonly<Record<string, readonly [string, (readonly string[])?]>>

/** Lists of the same form about something else. */
const siblings = [
  `${authoring}/rules/${rules[1]}/versions?`,
  `${authoring}/lists/${lists[1]}/entries?`,
  `${entries}/history?value=value+2&`,
  `${management}/phone-numbers/allow?`,
  `${usersPath}/${users[1]}/sessions?`,
  '/v2/watch/feedback?type=verification.started&',
  '/v2/watch/evaluations?',
]

test.each(Object.entries(paged).map(([path, [name, ids]]) => ({ path, name, ids })))(
  '$path in pages of two is the whole list',
  async ({ path, name, ids }) => {
    const page = async (query: string) => {
      const { body } = await shop.send('GET', `${path}${query}`)
      return { items: body[name] as readonly Record<string, unknown>[], next: body['next_cursor'] }
    }
    const whole = await page('limit=100')
    const first = await page('limit=2')
    const second = await page(`limit=2&cursor=${first.next}`)

    expect(first.items).toHaveLength(2)
    expect([...first.items, ...second.items]).toEqual(whole.items)
    expect([whole.next, second.next]).toEqual([undefined, undefined])
    if (ids) expect(whole.items.map(({ id, app_id }) => id ?? app_id)).toEqual(ids)
  },
)

test.each(Object.keys(paged))(
  'the cursor of %s is refused by every other list, and of another account',
  async (path) => {
    const cursor = (await shop.send('GET', `${path}limit=1`)).body['next_cursor']
    const others = [...Object.keys(paged), ...siblings].filter((other) => other !== path)

    for (const other of others) {
      const { status, body } = await shop.send('GET', `${other}cursor=${cursor}`)
      expect({ other, status, body }).toMatchObject({
        status: 400,
        body: { details: [{ path: 'cursor' }] },
      })
    }
    // what belongs to an account is not found by another
    expect([400, 404]).toContain((await stranger.send('GET', `${path}cursor=${cursor}`)).status)
  },
)
