/** Who was shown a person in clear is on record, once an hour for each, through the API and the console. */

import { beforeEach, expect, test, vi } from 'vitest'
import { unavailable } from '../../src/domain/failure.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { newApp } from '../support/startSession.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const hourMs = 3_600_000
const number = '+33612345678'
const address = 'ann@example.com'

const vigil = await openVigilOfFile()
let shop: Customer
let analyst: string
let evaluation: string

beforeEach(async () => {
  vigil.setTime(noon)
  shop = await openCustomer(vigil)
  analyst = await shop.tokenWith(['analyse'])
  const target = { phone_number: number, email_address: address }
  const { body } = await shop.evaluate(await shop.flowOf('list.block'), { target })
  evaluation = `/v2/watch/evaluations/${body['id']}`
})

interface Event {
  readonly actor: string
  readonly summary: string
  readonly content: Readonly<Record<string, unknown>>
}

/** What an auditor finds, of everybody or of the one with this number or address, the oldest first. */
async function findOpenings(
  person: Readonly<Record<string, string>> = {},
  token?: string,
): Promise<readonly Event[]> {
  await projectedHead(vigil)
  const query = new URLSearchParams({ type: 'PersonOpened', ...person })
  const auditor = sendAs(vigil, token ?? (await shop.tokenWith(['audit'])))
  const { body } = await auditor('GET', `/v2/watch/audit/events?${query}`)
  return body['events'] as readonly Event[]
}

const read = (path: string, token = analyst) => sendAs(vigil, token)('GET', path)
const contentsOf = (events: readonly Event[]) => events.map(({ content }) => content)
const sealed = { sealed: true }

test('who has looked at a person is one question, and its answer names the person to no auditor', async () => {
  await read(evaluation)

  const [opening, ...others] = await findOpenings({ phone_number: number })
  const [byAddress] = await findOpenings({ email_address: address })

  expect(others).toEqual([])
  const tokenId = (await read('/v2/whoami')).body['token_id']
  const summary = 'Saw a person in clear (getEvaluation).'
  expect(opening).toMatchObject({ actor: tokenId, summary })
  expect(opening?.content).toEqual({
    operation: 'getEvaluation',
    kind: 'phone_number',
    person: sealed,
  })
  expect(byAddress?.content).toMatchObject({ kind: 'email_address', person: sealed })
})

test('a token that sees persons sealed leaves no record', async () => {
  await read(evaluation, await shop.tokenWith(['audit']))

  expect(await findOpenings()).toEqual([])
})

test('it is recorded once in an hour for each caller, operation and person', async () => {
  for (const at of [noon, noon + 1, noon + hourMs]) {
    vigil.setTime(at)
    await Promise.all([read(evaluation), read(evaluation)])
  }
  await read(evaluation, await shop.tokenWith(['analyse']))

  expect(await findOpenings({ phone_number: number })).toHaveLength(3)
})

test('in the console it is of the screen; what a page says that is no name of one is not kept', async () => {
  const origin = `http://127.0.0.1:${vigil.door.port}`
  const signedIn = await fetch(`${origin}/console/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${analyst}`, origin },
  })
  const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0] ?? ''
  for (const screen of ['evaluations', number]) {
    await fetch(`${origin}/console/api${evaluation}`, {
      headers: { cookie, 'x-vigil-screen': screen },
    })
  }
  await sendAs(vigil, analyst)('GET', evaluation, undefined, { 'x-vigil-screen': 'evaluations' })

  const openings = await findOpenings({ phone_number: number })
  const screens = contentsOf(openings).map(({ screen }) => screen)
  expect(screens).toEqual(['evaluations', 'console', undefined])
  expect(openings[0]?.summary).toBe('Saw a person in clear (getEvaluation; console: evaluations).')
})

test('an answer about many names none of them, and is recorded as one', async () => {
  const app = await newApp(shop)
  const add = (value: string) =>
    shop.send('POST', `${app}/users`, { identifiers: [{ type: 'phone_number', value }] })
  for (let index = 10; index < 20; index += 1) await add(`+336123456${index}`)
  await projectedHead(vigil)
  const manager = await shop.tokenWith(['manage'])
  await read(`${app}/users`, manager)
  const few = await findOpenings()

  await add('+33612345620')
  await projectedHead(vigil)
  await read(`${app}/users`, manager)
  await read('/v2/watch/evaluations/export?columns=target.phone_number')
  await read('/v2/watch/evaluations/export?columns=verdict')

  expect(few).toHaveLength(10)
  const many = (await findOpenings()).slice(few.length)
  expect(many[0]?.summary).toBe('Saw persons in clear (listUsers).')
  expect(contentsOf(many)).toEqual([{ operation: 'listUsers' }, { operation: 'exportEvaluations' }])
})

test('the operator is on record in the account whose users are read', async () => {
  const app = await newApp(shop)
  const identifiers = [{ type: 'email_address', value: address }]
  const { body } = await shop.send('POST', `${app}/users`, { identifiers })
  await projectedHead(vigil)

  const users = `/v2/operator/accounts/${shop.accountId}/apps/${app.split('/').at(-1)}/users`
  await read(`${users}/${body['id']}`, operatorToken)

  expect(await findOpenings({ email_address: address })).toMatchObject([
    { actor: 'operator', content: { operation: 'getUserOfAccount', person: sealed } },
  ])
})

test('a value is looked up on a list by whom, however it is written', async () => {
  const block = '/v2/verification/management/phone-numbers/block'
  await shop.send('POST', block, { phone_number: number, reason: 'chargebacks' })

  const spelled = encodeURIComponent('+33 6 12 34 56 78')
  await shop.send('GET', `${block}/history?phone_number=${spelled}`)

  expect(contentsOf(await findOpenings({ phone_number: number }))).toMatchObject([
    { operation: 'listPhoneNumberHistory' },
  ])
})

test('once the person is erased, it stays on record that they were looked at, not whom it names', async () => {
  await read(evaluation)
  const both = await shop.tokenWith(['audit', 'analyse'])
  const [before] = await findOpenings({ phone_number: number }, both)
  await shop.send('POST', '/v2/watch/subjects/erase', { phone_number: number })

  await read(evaluation)
  const [after, ...others] = await findOpenings({ phone_number: number }, both)

  expect(before?.content).toMatchObject({ person: number })
  expect(after).toEqual({ ...before, content: { ...before?.content, person: { forgotten: true } } })
  expect(contentsOf(others)).toMatchObject([{ operation: 'listEvents' }])
})

test('what cannot be put on record is not shown', async () => {
  const append = vi.spyOn(vigil.service.context.events, 'append')
  append.mockRejectedValue(unavailable('The log cannot be written.'))

  const { status, text } = await read(evaluation)
  append.mockRestore()

  expect(status).toBe(503)
  expect(text).not.toContain(number)
})
