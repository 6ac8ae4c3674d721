/** Adds to a shop a list of an author and a blocked number, and says which account it is. */

import type { Shop } from './openConsole.ts'

export interface Listed {
  /** With three addresses. */
  readonly list: string
  readonly account: string
}

export async function playLists<Opened extends Shop>(shop: Opened): Promise<Opened & Listed> {
  const { send } = shop
  const lists = '/v2/watch/management/lists'
  const { body, text } = await send('POST', lists, {
    name: 'staff',
    kind: 'email_address',
    description: 'Our own people, who try things out',
  })
  if (body['id'] === undefined) throw new Error(text)
  const list = String(body['id'])
  const added = [
    { value: 'ada@example.com', reason: 'support' },
    { value: 'bob@example.com', reason: 'tests', expires_at: '2099-01-01T00:00:00Z' },
    { value: 'eve@example.com' },
  ]
  for (const entry of added) await send('POST', `${lists}/${list}/entries`, entry)
  await send('POST', '/v2/verification/management/phone-numbers/block', {
    phone_number: '+33612340000',
    reason: 'chargebacks in August',
  })
  const { body: who } = await send('GET', '/v2/whoami')
  return { ...shop, list, account: String(who['account_id']) }
}
