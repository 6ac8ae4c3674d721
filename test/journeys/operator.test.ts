import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openShopOfFile } from '../support/openOfFile.ts'
import { openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'

const { vigil, shop } = await openShopOfFile()

const operate = (method: string, path: string, body?: unknown) =>
  sendAs(vigil, operatorToken)(method, `/v2/operator/accounts${path}`, body)

const account = { name: 'Shop' }

describe('accounts', () => {
  test('are opened with an id of their own', async () => {
    const one = await operate('POST', '', account)
    const other = await operate('POST', '', account)

    expect([one.status, other.status]).toEqual([201, 201])
    expect(one.body['account_id']).toMatch(/^acc_[0-9a-hjkmnp-tv-z]{26}$/)
    expect(one.body['account_id']).not.toBe(other.body['account_id'])
    expect(Number(one.headers['x-vigil-position'])).toBeGreaterThan(0)
  })

  test('get the access they are given and keep what is not named', async () => {
    const id = String((await operate('POST', '', account)).body['account_id'])

    const first = await operate('PUT', `/${id}/access`, {
      authoring: true,
      management: false,
      trusted_user: true,
    })
    const second = await operate('PUT', `/${id}/access`, { trusted_user: false })

    const access = { authoring: true, management: false, custom_suffix: false }
    expect(first.body).toEqual({ ...access, trusted_user: true })
    expect(second.body).toEqual({ ...access, trusted_user: false })
  })

  test('are seen with their access and tokens, and no secret', async () => {
    await openCustomer(vigil)
    const seen = await operate('GET', `/${shop.accountId}`)
    const listed = await operate('GET', '?limit=1')

    expect(seen.status).toBe(200)
    expect(seen.body).toMatchObject({
      account_id: shop.accountId,
      name: 'Shop',
      authoring: true,
      tokens: [{ token_id: shop.tokenId, scopes: expect.arrayContaining(['eval']) }],
    })
    expect(seen.text).not.toContain(shop.token.slice(-43))
    expect(seen.text).not.toMatch(/"\w*hash\w*":/)
    expect(listed.body['accounts']).toHaveLength(1)
    expect(listed.body['next_cursor']).toEqual(expect.any(String))
    expect((await shop.send('GET', `/v2/operator/accounts/${shop.accountId}`)).status).toBe(403)
  })

  test('that are not there are not found, whatever is asked of them', async () => {
    for (const id of ['acc_01jc0t6fwwfgfsq1md24mhyztj', 'acc_x']) {
      const answers = [
        await operate('PUT', `/${id}/access`, { authoring: true }),
        await operate('POST', `/${id}/tokens`, { scopes: ['eval'] }),
        await operate('DELETE', `/${id}/tokens/tok_01jc0t6fwwfgfsq1md24mhyztj`),
        await operate('POST', `/${id}/dispatches`, { dispatch_id: randomUUID(), signals: {} }),
      ]

      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    }
  })
})

describe('tokens', () => {
  test('are refused from the moment their revocation is answered', async () => {
    const issued = await operate('POST', `/${shop.accountId}/tokens`, { scopes: ['author'] })
    const token = String(issued.body['token'])
    const list = () => vigil.door.request('GET', '/v2/watch/management/rules', { token })
    expect((await list()).status).toBe(200)

    const path = `/${shop.accountId}/tokens/${issued.body['token_id']}`
    const revoked = await operate('DELETE', path)

    expect(revoked.status).toBe(204)
    expect((await list()).body['code']).toBe('invalid_api_token')
    expect((await operate('DELETE', path)).status).toBe(204)
  })

  test('are not said to be revoked under an account that never had them', async () => {
    const other = await openCustomer(vigil)
    const issued = await operate('POST', `/${shop.accountId}/tokens`, { scopes: ['author'] })
    const tokenId = String(issued.body['token_id'])

    const elsewhere = await operate('DELETE', `/${other.accountId}/tokens/${tokenId}`)
    const listed = await sendAs(vigil, String(issued.body['token']))(
      'GET',
      '/v2/watch/management/rules',
    )

    expect([elsewhere.status, elsewhere.body['code']]).toEqual([404, 'not_found'])
    expect(listed.status).toBe(200)
  })

  test('that are missing, rubbish, of another account or altered are all 401', async () => {
    const other = await openCustomer(vigil)
    const swapped = shop.token.replace(shop.accountId.slice(4), other.accountId.slice(4))
    const altered = `${shop.token.slice(0, -1)}${shop.token.endsWith('A') ? 'B' : 'A'}`

    for (const token of [undefined, 'x', swapped, altered, '']) {
      const answer = await vigil.door.request('GET', '/v2/watch/management/rules', { token })

      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
  })
})

describe('dispatches', () => {
  test('are recorded once: again the same is no error, other signals are a conflict', async () => {
    const dispatch_id = randomUUID()
    const send = (signals: object) =>
      operate('POST', `/${shop.accountId}/dispatches`, { dispatch_id, signals })

    const answers = [
      await send({ ip: '192.0.2.1' }),
      await send({ ip: '192.0.2.1' }),
      await send({ ip: '192.0.2.2' }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 409])
  })
})
