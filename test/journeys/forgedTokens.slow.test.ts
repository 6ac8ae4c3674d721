import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import { signingKeyOf } from '../../src/auth/signingKey.ts'
import { signCall } from '../../src/commands/sessions/accessTokens.ts'
import { type Forger, forgerOf } from '../support/forgedTokens.ts'
import { type Instance, openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'

const appId = 'corner1'
const apps = '/v2/session/apps'
const list = '/v1/session/me/list'
const reset = '/v1/session/me/password/reset'

/** What asks for an access token: none of it is done for a token that is not good. */
const asked = [
  ['GET', list, undefined],
  ['POST', '/v1/session/me/revoke?target=all', undefined],
  ['POST', reset, { password: 'another correct horse' }],
] as const

interface Started {
  readonly user: string
  readonly access: string
  readonly refresh: string
  readonly session: string
}

let users = 0

async function start(shop: Customer, app = appId): Promise<Started> {
  users += 1
  const identifiers = [{ type: 'customer_user_id', value: `user ${users}` }]
  const { body } = await shop.send('POST', `${apps}/${app}/users`, { identifiers })
  const user = `${apps}/${app}/users/${body['id']}`
  const scopes = ['prld:pwd:write']
  const started = (await shop.send('POST', `${user}/sessions`, { scopes })).body
  return {
    user,
    access: String(started['access_token']),
    refresh: String(started['refresh_token']),
    session: String(Object(started['session']).id),
  }
}

async function openShop(): Promise<{ readonly one: Instance; readonly shop: Customer }> {
  const { a } = await openTwoInstances()
  const shop = await openCustomer(a)
  for (const app_id of [appId, 'other01']) {
    await shop.send('POST', apps, { name: 'Shop', app_id })
  }
  return { one: a, shop }
}

/** A forger who has stolen the key that signs, to change what a good token says in one thing. */
async function forger({ keyring }: Instance, shop: Customer, good: string): Promise<Forger> {
  const { body } = await shop.send('GET', `${apps}/${appId}/signing-keys`)
  const [key] = body['signing_keys'] as readonly { kid: string; public_key: string }[]
  const { kid, public_key } = key ?? { kid: '', public_key: '' }
  const secret = (await keyring.keys([kid])).get(kid)
  if (!(secret instanceof Uint8Array)) throw new Error('the signing key is not to be had')
  return forgerOf({ kid, public_key, privateKey: signingKeyOf(secret) }, { ...decodeJwt(good) })
}

/** Tokens that were good once, or are good for something else. */
async function strangers(one: Instance, shop: Customer, own: Started) {
  const [revoked, deleted] = [await start(shop), await start(shop)]
  await shop.send('DELETE', `${revoked.user}/sessions/${revoked.session}`)
  await shop.send('DELETE', deleted.user)
  const keys = `${apps}/${appId}/signing-keys`
  const retired = (await start(shop)).access
  await shop.send('POST', keys)
  await shop.send('DELETE', `${keys}/${decodeProtectedHeader(own.access).kid}`)
  const call = { url: 'https://api.example.com/validate', body: '{}' }
  return Object.entries({
    'of a session that was ended': revoked.access,
    'of a user who is deleted': deleted.access,
    'of another application': (await start(shop, 'other01')).access,
    'by a key that is retired': retired,
    'that says whose call it is': await signCall(one.service.context, appId, call),
    'for refreshes': own.refresh,
    'of the account': shop.token,
  })
}

/** Texts with a good token in them. */
function malformed(good: string) {
  const [header, claims, signature] = good.split('.')
  return Object.entries({
    'twice, in a list': `${good}, ${good}`,
    'with a part more': `${good}.${signature}`,
    'without its signature': `${header}.${claims}.`,
    'with half of it': `${header}.${claims}.${signature?.slice(0, 43)}`,
    'in padded base64': `${header}=.${claims}=.${signature}==`,
    'as JSON': JSON.stringify({ protected: header, payload: claims, signature }),
    'and much more': good + 'x'.repeat(10_000),
  })
}

test('every access token that is not good is answered 401 with the same bytes, wherever it is asked for', async () => {
  const { one, shop } = await openShop()
  const own = await start(shop)
  const { attacks, forged } = await forger(one, shop, own.access)
  const ask = (token: string | undefined, [method, path, body]: (typeof asked)[number]) =>
    one.door.request(method, path, {
      token,
      headers: { host: `${appId}.session.localhost` },
      ...(body && { body }),
    })
  // what the forger makes is good, but for what is changed
  expect((await ask(forged({}), asked[0])).status).toBe(200)
  const answers: [string, string][] = []
  const send = async (name: string, token: string | undefined) => {
    for (const what of asked) {
      const { status, text, headers } = await ask(token, what)
      answers.push([
        `${name}: ${what[1]}`,
        `${status} ${text} ${headers['www-authenticate']} ${headers['content-type']}`,
      ])
    }
  }

  for (const [name, token] of attacks) await send(name, token)
  for (const [name, token] of malformed(own.access)) await send(`a good token ${name}`, token)
  for (const [name, token] of await strangers(one, shop, own)) await send(`a token ${name}`, token)
  await send('no token', undefined)

  expect(answers.length).toBeGreaterThan(150)
  const expected =
    '401 {"code":"unauthorized","type":"unauthorized","message":"The access token is missing or not valid."} Bearer application/json; charset=utf-8'
  expect(answers.filter(([, said]) => said !== expected)).toEqual([])
  // none of them has ended or changed anything
  const { body } = await shop.send('GET', `${own.user}/sessions`)
  expect(body['sessions']).toMatchObject([{ id: own.session }])
  const check = await shop.send('POST', `${own.user}/password/check`, {
    password: 'another correct horse',
  })
  expect(check.body).toEqual({ valid: false })
})

test('a text that the application has not signed is read of no log, whichever user and session it names', async () => {
  const { one, shop } = await openShop()
  const own = await start(shop)
  const { forged } = await forger(one, shop, own.access)
  const nobody = { sub: 'usr_01h455vb4pex5vsknk084sn02q', sid: 'ses_01h455vb4pex5vsknk084sn02q' }
  const unsigned = () => Buffer.alloc(64)
  const before = one.reads()

  for (const token of [forged({}, unsigned), forged({ claims: nobody }, unsigned)]) {
    const headers = { host: `${appId}.session.localhost` }
    expect((await one.door.request('GET', list, { token, headers })).status).toBe(401)
  }

  expect(one.reads()).toBe(before)
})
