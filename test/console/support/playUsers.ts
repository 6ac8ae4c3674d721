/** Adds to a shop an application with its users, one of them signed in on three devices. */

import type { Shop } from './openConsole.ts'

export interface Users {
  /** Has sessions, a number, an address and an id of the shop's. */
  readonly user: string
}

export const app = 'corner1'
const users = `/v2/session/apps/${app}/users`

export async function playUsers<Opened extends Shop>(shop: Opened): Promise<Opened & Users> {
  const { send } = shop
  await send('POST', '/v2/session/apps', { name: 'Corner shop', app_id: app })
  const add = async (given: Readonly<Record<string, string>>) => {
    const identifiers = Object.entries(given).map(([type, value]) => ({ type, value }))
    const { body, text } = await send('POST', users, { identifiers })
    if (body['id'] === undefined) throw new Error(text)
    return String(body['id'])
  }
  const user = await add({
    phone_number: '+33612345678',
    email_address: 'ada90210@mailinator.com',
    customer_user_id: '4711',
  })
  await add({ email_address: 'bob@example.com', customer_user_id: '4712' })
  await add({ customer_user_id: '<img src=x onerror=alert(1)> \u{5d0}\u{5d1} 4713' })
  for (const device of [
    { device_type: 'IOS', device_model: 'iPhone 15', os_version: '17.1', country_code: 'FR' },
    { device_type: 'WEB', device_model: 'Firefox', country_code: 'BE' },
    {},
  ]) {
    await send('POST', `${users}/${user}/sessions`, device)
  }
  return { ...shop, user }
}
