import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeForTest } from '../stores/support/fakeUnderTest.ts'
import { eventually } from '../support/eventually.ts'
import { openCustomer, openVigil, sendAs } from '../support/openVigil.ts'

async function eventStoreDb(): Promise<string> {
  const { url, log } = await fakeForTest()
  // what the server writes for itself comes to lie among the rest
  log.writeSystemEvent('$stats-1')
  return url
}

test.each([
  ['the data folder', () => undefined],
  ['EventStoreDB', eventStoreDb],
])(
  'with a log in %s, after a restart everything answered is there, and a repeated request gives the same bytes',
  async (_, urlOf) => {
    let vigil = await openVigil({ eventStoreUrl: await urlOf() })
    expect(vigil.isNew).toBe(true)
    const shop = await openCustomer(vigil)
    const flow = await shop.flowOf('target.phone_number.startsWith("+33")')
    const headers = { 'idempotency-key': 'order-1' }
    const first = await shop.evaluate(flow, {}, headers)
    expect(first.headers['x-vigil-visible']).not.toBe('false')

    vigil = await vigil.restart()
    const asked = sendAs(vigil, shop.token)
    const body = { flow_id: flow, target: { phone_number: '+33612345678' } }
    const again = await asked('POST', '/v2/watch/eval', body, headers)

    expect(vigil.isNew).toBe(false)
    expect(again.text).toBe(first.text)
    const rules = () => asked('GET', '/v2/watch/management/rules')
    // read models may still be building
    await eventually(async () => (await rules()).status === 200)
    expect((await rules()).body['rules']).toHaveLength(1)
    const replay = await asked('POST', `/v2/watch/evaluations/${first.body['id']}/replay`)
    expect(replay.body['result']).toBe('MATCH')
    await vigil.close()
  },
)

test('a large rulebook is kept at the stop, and after a restart it is evaluated and changed as before', async () => {
  let vigil = await openVigil()
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('target.phone_number.startsWith("+33")')
  const content = { name: 'one of many', expression: 'target.phone_number == ""' }
  const rules = Array.from({ length: 1_000 }, () => ({ content }))
  for (const _ of ['one', 'two']) {
    const changed = await shop.send('POST', '/v2/watch/management/changes', { rules })
    expect(changed.status, changed.text).toBe(200)
  }
  const first = await shop.evaluate(flow)

  vigil = await vigil.restart()
  const asked = sendAs(vigil, shop.token)
  const body = { flow_id: flow, target: { phone_number: '+33612345678' } }
  const again = await asked('POST', '/v2/watch/eval', body)
  const made = await asked('POST', '/v2/watch/management/rules', content)

  expect(readdirSync(join(vigil.folder, 'snapshots'))).toEqual([
    `rulebook-${shop.accountId}.snapshot`,
  ])
  expect({ ...again.body, id: first.body['id'] }).toEqual(first.body)
  expect(made.status, made.text).toBe(201)
  await vigil.close()
})

test('no personal value and no token stands in any file in clear', async () => {
  const vigil = await openVigil()
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('signal.ip == "198.51.100.77"', 'signal.ext.note == "x"')
  const secrets = {
    phone: '+33698765432',
    national: '698765432',
    email: 'zoe.secret@example.org',
    ip: '198.51.100.23',
    device: 'device-7f3a9c',
    note: 'born in Lyon',
    agent: 'Mozilla/5.0 (Secret)',
  }
  const dispatch_id = await shop.dispatch({
    ip: secrets.ip,
    device_id: secrets.device,
    user_agent: secrets.agent,
  })
  await shop.evaluate(flow, {
    target: { phone_number: secrets.phone, email_address: secrets.email },
    dispatch_id,
    signals: { ext: { note: secrets.note } },
  })
  const listed = { phone_number: secrets.phone, reason: secrets.note }
  await shop.send('POST', '/v2/verification/management/phone-numbers/block', listed)
  const target = { type: 'email_address', value: secrets.email }
  const metadata = { correlation_id: secrets.note }
  await shop.send('POST', '/v2/watch/feedback', {
    feedbacks: [{ target, type: 'verification.started', dispatch_id, metadata }],
  })

  await vigil.restart().then((reopened) => reopened.close)
  const texts = readdirSync(vigil.folder).map((file) => readFileSync(join(vigil.folder, file)))

  const forbidden = [
    ...Object.values(secrets),
    shop.token,
    shop.token.slice(-43),
    dispatch_id,
    'an-operator-token-for-these-tests-only',
  ]
  expect(texts.length).toBeGreaterThan(2)
  expect(Buffer.concat(texts).includes(shop.accountId)).toBe(true)
  for (const secret of forbidden) {
    expect(texts.filter((bytes) => bytes.includes(secret))).toEqual([])
  }
})
