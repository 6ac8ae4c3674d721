import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCustomer, openVigil } from '../support/openVigil.ts'

test('after a restart everything answered is there, and a repeated request gives the same bytes', async () => {
  let vigil = await openVigil()
  const shop = await openCustomer(vigil)
  const flow = await shop.flowOf('target.phone_number.startsWith("+33")')
  const headers = { 'idempotency-key': 'order-1' }
  const first = await shop.evaluate(flow, {}, headers)

  vigil = await vigil.restart()
  const asked = (method: string, path: string, body?: unknown) =>
    vigil.door.request(method, path, { token: shop.token, headers, body })
  const again = await asked('POST', '/v2/watch/eval', {
    flow_id: flow,
    target: { phone_number: '+33612345678' },
  })

  expect(again.text).toBe(first.text)
  const rules = await asked('GET', '/v2/watch/management/rules')
  expect(rules.body['rules']).toHaveLength(1)
  const replay = await asked('POST', `/v2/watch/evaluations/${first.body['id']}/replay`)
  expect(replay.body['result']).toBe('MATCH')
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
