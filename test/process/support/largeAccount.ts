/** An account with a large flow in two versions, and full pages of everything else. */

import type { Customer } from '../../support/openVigil.ts'

const members = 2_000
const membersPerRecipe = 500
const changesAtOnce = 50
const pageLength = 200
export const phone_number = '+33612345678'
const target = { type: 'phone_number', value: phone_number }

export interface LargeAccount {
  /** Ids of what it has, one of each kind. */
  readonly ids: readonly string[]
  readonly appId: string
  /** A passed and a flagged evaluation of the two versions of the flow. */
  readonly passed: string
  readonly flagged: string
  readonly recipes: readonly string[]
  /** A value of its list with a long history. */
  readonly value: string
  /** Position in the log between the versions. */
  readonly between: string
}

type Send = (
  method: string,
  path: string,
  body?: object,
) => Promise<Readonly<Record<string, unknown>>>

export async function fillAccount(customer: Customer): Promise<LargeAccount> {
  const send: Send = async (method, path, body) => {
    const answer = await customer.send(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text.slice(0, 500)}`)
    return answer.body
  }
  const rulebook = await fillRulebook(customer, send)
  const { list, value } = await fillLists(customer, send)
  await fillReports(send)
  const { app_id, user } = await fillApp(send)
  const template = await send('POST', '/v2/verification/management/templates', { name: 'Ada Shop' })
  const other = { phone_number: '+33612349999' }
  const erasure = await send('POST', '/v2/watch/subjects/erase', other)
  const replay = await send('POST', '/v2/watch/audit/replays')
  const reweighed = { flow_id: rulebook.flow, recipe_id: rulebook.recipes[0], threshold: 40 }
  const backtest = await send('POST', '/v2/watch/management/backtests', reweighed)
  const flagged = { name: 'Flagged', where: 'verdict = FLAG' }
  const search = await send('POST', '/v2/watch/management/searches', flagged)
  const made = [
    list,
    user,
    template['id'],
    erasure['id'] ?? erasure['erasure_id'],
    replay['id'] ?? replay['replay_id'],
    backtest['id'],
    search['id'],
    (await send('GET', `/v2/watch/management/flows/${rulebook.flow}`))['version_id'],
  ]
  const ids = [rulebook.rule, rulebook.flow, rulebook.flagged, ...rulebook.recipes, ...made].map(
    String,
  )
  return { ...rulebook, ids, appId: String(app_id), value }
}

/** Of about a thousand characters. */
function writeRule(index: number, value: string): object {
  const parts = Array.from(
    { length: 24 },
    (_, at) => `signal.ext.k${(index + at) % 190} == "${value} ${index} ${at}"`,
  )
  return { name: `rule ${index}`, expression: parts.join(' || ') }
}

function writeRecipe(rules: readonly string[], member: object): object {
  const members = rules.map((rule_id) => ({ rule_id, ...member }))
  return { name: 'large', status: 'LIVE', threshold: 50, rules: members }
}

const numbersBelow = (count: number) => Array.from({ length: count }, (_, index) => index)
const firstOfEach = (size: number) => numbersBelow(members / size).map((at) => at * size)

async function fillRulebook(customer: Customer, send: Send) {
  const management = '/v2/watch/management'
  const rules: string[] = []
  const change = async (first: number, value: string) => {
    const changed = numbersBelow(changesAtOnce).map((at) => first + at)
    const answer = await send('POST', `${management}/changes`, {
      rules: changed.map((index) => ({
        ...(rules[index] !== undefined && { id: rules[index] }),
        content: writeRule(index, value),
      })),
    })
    return (answer['rules'] as readonly { readonly id: string }[]).map(({ id }) => id)
  }
  for (const first of firstOfEach(changesAtOnce)) rules.push(...(await change(first, 'x')))
  const parts = firstOfEach(membersPerRecipe).map((at) => rules.slice(at, at + membersPerRecipe))
  const recipes: string[] = []
  for (const part of parts) {
    const made = await send('POST', `${management}/recipes`, writeRecipe(part, { weight: 0 }))
    recipes.push(String(made['id']))
  }
  const flow = await customer.flow(recipes)
  await send('PUT', `${management}/predict`, { flow_id: flow })
  const passed = await evaluate(customer, flow, {})
  const between = String((await send('GET', '/v2/watch/audit/events?limit=1'))['next_after'])
  for (const first of firstOfEach(changesAtOnce)) await change(first, 'y')
  for (const [at, part] of parts.entries()) {
    const content = writeRecipe(part, { weight: 1, preempts: 'FLAG' })
    await send('PUT', `${management}/recipes/${recipes[at]}`, content)
  }
  const flagged = await evaluate(customer, flow, { k7: 'y 7 0' })
  for (const at of numbersBelow(60)) await evaluate(customer, flow, { k7: `v${at}` })
  // versions of a recipe that is in no flow
  const [part = []] = parts
  const { id } = await send('POST', `${management}/recipes`, writeRecipe(part, { weight: 1 }))
  for (const weight of numbersBelow(20)) {
    await send('PUT', `${management}/recipes/${id}`, writeRecipe(part, { weight }))
  }
  return { rule: rules[0], recipes: [...recipes, String(id)], flow, passed, flagged, between }
}

/** The evaluation's id. A large flow may be made ready for longer than one request waits. */
async function evaluate(customer: Customer, flow: string, changed: object): Promise<string> {
  const long = numbersBelow(190).map((index) => [`k${index}`, `v${index}`.padEnd(190, '.')])
  const signals = { ip: '192.0.2.1', ext: { ...Object.fromEntries(long), ...changed } }
  for (;;) {
    const { status, body, text } = await customer.evaluate(flow, { signals })
    if (status === 200) return String(body['id'])
    if (status !== 503) throw new Error(text)
  }
}

async function fillLists(customer: Customer, send: Send) {
  const list = await customer.list('partners', 'text')
  const entries = `/v2/watch/management/lists/${list}/entries`
  const listed = numbersBelow(pageLength).map((at) => ({
    ...{ value: `v${at}`.padEnd(250, 'x'), reason: 'r'.repeat(490) },
  }))
  await Promise.all(listed.map((entry) => send('POST', entries, entry)))
  const [first = { value: '' }] = listed
  for (const _ of numbersBelow(pageLength / 2)) {
    await send('DELETE', entries, { value: first.value })
    await send('POST', entries, first)
  }
  const block = '/v2/verification/management/phone-numbers/block'
  const numbers = numbersBelow(pageLength).map((at) => `+336123${40_000 + at}`)
  await Promise.all(numbers.map((number) => send('POST', block, { phone_number: number })))
  return { list, value: first.value }
}

async function fillReports(send: Send): Promise<void> {
  const signals = { user_agent: 'u'.repeat(400) }
  const feedback = { target, type: 'verification.started', signals }
  for (const at of numbersBelow(pageLength)) {
    await send('POST', '/v2/watch/feedback', { feedbacks: [feedback] })
    const event = { target, label: `label_${at % 90}`, confidence: 'maximum' }
    await send('POST', '/v2/watch/event', { events: [event] })
  }
}

async function fillApp(send: Send) {
  const apps = '/v2/session/apps'
  const { app_id } = await send('POST', apps, { name: 'Shop' })
  const users = await Promise.all(
    numbersBelow(pageLength).map((at) => {
      const identifiers = [{ type: 'email_address', value: `user${at}@example.com` }]
      return send('POST', `${apps}/${app_id}/users`, { identifiers })
    }),
  )
  const { id, user_id = id } = users[0] ?? {}
  return { app_id, user: user_id }
}
