/** A session of a new user, as the back end of the shop starts it. */

import { randomUUID } from 'node:crypto'
import type { Customer } from './openVigil.ts'

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

/** Starts it, in an application of the shop. */
export async function startSession(shop: Customer, appId: string): Promise<StartedSession> {
  const users = `/v2/session/apps/${appId}/users`
  const identifiers = [{ type: 'customer_user_id', value: randomUUID() }]
  const { body } = await shop.send('POST', users, { identifiers })
  const user = String(body['id'])
  const started = await shop.send('POST', `${users}/${user}/sessions`, device)
  const { id } = started.body['session'] as { readonly id: string }
  return { id, user, token: String(started.body['refresh_token']) }
}
