/** The applications of the shop: what is asked of them, by the shop and by its operator. */

import { dpopKey } from '../../support/dpopKey.ts'
import type { Recorder } from './recordExamples.ts'

type Ask = (
  operation: string,
  parameters?: Readonly<Record<string, string>>,
  body?: object,
) => Promise<Readonly<Record<string, unknown>>>

const shopApp = { name: 'Corner shop', app_id: '54e9ujn' }
const settings = {
  tokens: { access_seconds: 300 },
  password: { min_length: 12 },
  allowed_origins: ['https://shop.example'],
}
const config = { session_validation_url: 'https://api.example.com/session/validate' }

/** The operator registers one for the account, sets it and retires it. */
export async function operateApps(operate: Ask, account_id: string): Promise<void> {
  const account = { account_id }
  const place = { ...account, appID: 'fvua38g' }
  await operate('registerAppOfAccount', account, { name: 'Trial', app_id: place.appID })
  await operate('configureAppOfAccount', place, { password_change_revokes: 'all' })
  await operate('getAppOfAccount', place)
  await operate('listAppsOfAccount', { ...account, limit: '10' })
  const key = await operate('rotateSigningKeyOfAccount', place)
  await retireFirstKey(operate, 'OfAccount', { ...place, kid: String(key['kid']) })
  await haveUser(operate, 'OfAccount', place)
  await operate('retireAppOfAccount', place)
}

/** The shop has one of its own, and moves its users over. */
export async function manageApps(own: Ask): Promise<void> {
  const place = { appID: shopApp.app_id }
  await own('registerApp', {}, shopApp)
  await own('configureApp', place, settings)
  await own('getApp', place)
  await own('listApps', { limit: '10' })
  const key = await own('rotateSigningKey', place)
  await retireFirstKey(own, '', { ...place, kid: String(key['kid']) })
  await haveUser(own, '', place)
  await own('setMigrationConfig', place, config)
  await own('getMigrationConfig', place)
  await own('deleteMigrationConfig', place)
}

/** What an application serves its users, on the host of the shop's. */
export async function serveUsers(recorder: Recorder, token: string): Promise<void> {
  const { ask, refused } = recorder
  const app = shopApp.app_id
  const place = { appID: app }
  const identifiers = [{ type: 'customer_user_id', value: '4712' }]
  const user = await ask({
    operation: 'createUser',
    token,
    parameters: place,
    body: { identifiers },
  })
  const parameters = { ...place, userID: String(user['id']) }
  const device = { device_type: 'IOS', device_model: 'iPhone 15', country_code: 'FR' }
  const body = { ...device, scopes: ['prld:pwd:write'] }
  const session = await ask({ operation: 'startSession', token, parameters, body })
  const own = { app, token: String(session['access_token']) }
  const list = { ...own, operation: 'listOwnSessions', parameters: { limit: '10', offset: '0' } }
  const end = { ...own, operation: 'revokeOwnSessions' }
  await ask(list)
  await refused(400, { ...list, parameters: { limit: '1e2' } })
  const change = { ...own, operation: 'changePassword' }
  await ask({ ...change, body: { password: 'another correct horse' } })
  await refused(400, { ...change, body: { password: 12 } })
  await refused(403, { ...change, body: { password: 'one more correct horse' } })
  await ask({ ...end, parameters: { target: 'others' } })
  await ask({ ...end, parameters: { target: 'mine' } })
  await refused(401, list)
  await refresh(recorder, { app, token })
  await ask({ operation: 'getKeySet', app })
  await ask({ operation: 'getPasswordCompliancy', app })
  await ask({ operation: 'getSessionInterfaceDescription', app })
}

/** A session of the system before, which is validated at the URL, becomes one of the application's. */
export async function migrateUsers(
  { ask, refused }: Recorder,
  token: string,
  session_validation_url: string,
): Promise<void> {
  const parameters = { appID: shopApp.app_id }
  const asking = {
    operation: 'migrateSession',
    app: shopApp.app_id,
    body: { token: 'legacy-session-8c1f' },
  }
  const set = { operation: 'setMigrationConfig', token, parameters }
  await ask({ ...set, body: { session_validation_url } })
  await ask(asking)
  await ask({ operation: 'deleteMigrationConfig', token, parameters })
  await refused(403, asking)
}

/** A session goes on, and ends. */
async function refresh(
  { ask, refused, send, nowMs }: Recorder,
  { app, token }: { readonly app: string; readonly token: string },
): Promise<void> {
  const place = { appID: app }
  const identifiers = [{ type: 'customer_user_id', value: '4713' }]
  const user = await ask({
    operation: 'createUser',
    token,
    parameters: place,
    body: { identifiers },
  })
  const parameters = { ...place, userID: String(user['id']) }
  const started = await ask({ operation: 'startSession', token, parameters, body: {} })
  const key = dpopKey()
  const htu = `https://${app}.session.localhost/v1/session/refresh`
  const given = { 'x-refresh-token': String(started['refresh_token']) }
  const asking = (nonce?: string) => ({
    operation: 'refreshSession',
    app,
    headers: { ...given, dpop: key.proof({ htu, nonce, iat: Math.floor(nowMs() / 1_000) }) },
    body: {},
  })
  const { 'dpop-nonce': nonce } = (await send(asking())).headers
  await ask(asking(String(nonce)))
  await refused(400, asking())
  await refused(401, { ...asking(), headers: {} })
  await ask({ operation: 'revokeSession', app, headers: given, body: {} })
  await refused(401, { operation: 'revokeSession', app })
}

/** Somebody signs up, is found, and leaves. */
async function haveUser(
  ask: Ask,
  door: '' | 'OfAccount',
  place: Readonly<Record<string, string>>,
): Promise<void> {
  const identifiers = [
    { type: 'email_address', value: 'Ann@Example.com' },
    { type: 'customer_user_id', value: '4711' },
  ]
  const { id } = await ask(`createUser${door}`, place, { identifiers })
  const user = { ...place, userID: String(id) }
  await ask(`getUser${door}`, user)
  await ask(`listUsers${door}`, { ...place, type: 'email_address', value: 'ann@example.com' })
  const password = 'correct horse battery staple'
  await ask(`setPassword${door}`, user, { password })
  await ask(`checkPassword${door}`, user, { password })
  await haveSessions(ask, door, user)
  await ask(`deleteUser${door}`, user)
}

/** The user signs in, may change the password once, and is signed out. */
async function haveSessions(
  ask: Ask,
  door: '' | 'OfAccount',
  user: Readonly<Record<string, string>>,
): Promise<void> {
  const device = {
    device_type: 'IOS',
    device_model: 'iPhone 15',
    os_version: '17.1',
    country_code: 'FR',
  }
  const { session } = await ask(`startSession${door}`, user, device)
  const { id } = session as { readonly id: string }
  await ask(`listUserSessions${door}`, user)
  await ask(`grantScope${door}`, user, { scope: 'prld:pwd:write', session_id: id })
  await ask(`revokeUserSession${door}`, { ...user, sessionID: id })
  await ask(`revokeUserSessions${door}`, user)
}

/** The one that signed before the given one. */
async function retireFirstKey(
  ask: Ask,
  door: '' | 'OfAccount',
  { kid, ...place }: Readonly<Record<string, string>>,
): Promise<void> {
  const { signing_keys: keys } = await ask(`listSigningKeys${door}`, place)
  const [first] = (keys as readonly { readonly kid: string }[]).filter((key) => key.kid !== kid)
  await ask(`retireSigningKey${door}`, { ...place, kid: first?.kid ?? '' })
}

/** What is refused of them; the last one is retired. */
export async function refuseApps({ ask, refused }: Recorder, token: string): Promise<void> {
  const parameters = { appID: shopApp.app_id }
  const private_url = { session_validation_url: 'https://127.0.0.1/validate' }
  const set = { operation: 'setMigrationConfig', token, parameters }
  await refused(400, { ...set, body: private_url })
  await refused(409, { operation: 'registerApp', token, body: shopApp })
  await ask({ operation: 'retireApp', token, parameters })
  await refused(404, { ...set, body: config })
  await refused(404, { operation: 'deleteMigrationConfig', token, parameters })
  await refused(404, { operation: 'getApp', token, parameters })
}
