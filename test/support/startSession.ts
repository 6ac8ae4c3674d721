/** Applications, users and sessions, as the back end of a customer makes them. */

import { randomUUID } from 'node:crypto'
import type { Customer } from './openVigil.ts'

type Client = Pick<Customer, 'send'>

const apps = '/v2/session/apps'

/** The path of a new application. */
export async function newApp({ send }: Client, input: object = {}): Promise<string> {
  const { body, text } = await send('POST', apps, { name: 'Shop', ...input })
  if (!body['app_id']) throw new Error(text)
  return `${apps}/${body['app_id']}`
}

/** The path of a new user of an application, by the name that the customer gives. */
export async function newUser(
  { send }: Client,
  app: string,
  name: string = randomUUID(),
): Promise<string> {
  const identifiers = [{ type: 'customer_user_id', value: name }]
  const { body, text } = await send('POST', `${app}/users`, { identifiers })
  if (!body['id']) throw new Error(text)
  return `${app}/users/${body['id']}`
}

/** A new session of the user, with its access token and refresh token. */
export async function newSession({ send }: Client, user: string, input: object = {}) {
  const { body, text } = await send('POST', `${user}/sessions`, input)
  if (!body['session']) throw new Error(text)
  const { id } = body['session'] as { readonly id: string }
  return { id, token: String(body['access_token']), refreshToken: String(body['refresh_token']) }
}

export interface StartedSession {
  readonly id: string
  readonly user: string
  /** The refresh token. */
  readonly token: string
}

const device = {
  device_type: 'WEB',
  device_model: 'Chrome',
  os_version: '140',
  country_code: 'FR',
}

/** A session of a new user, in an application of the shop. */
export async function startSession(shop: Client, appId: string): Promise<StartedSession> {
  const user = await newUser(shop, `${apps}/${appId}`)
  const { id, refreshToken: token } = await newSession(shop, user, device)
  return { id, user: user.split('/').at(-1) ?? '', token }
}
