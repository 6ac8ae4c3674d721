/** Adds to a shop what is set up for its messages: sender IDs, decided on and not, and templates. */

import { operatorToken, sendAs } from '../../support/openVigil.ts'
import type { Shop } from './openConsole.ts'

export interface WithVerification {
  readonly template: string
}

const management = '/v2/verification/management'

export async function playVerification<Opened extends Shop & { readonly account: string }>(
  shop: Opened,
): Promise<Opened & WithVerification> {
  const { send, account } = shop
  const operate = sendAs(shop.vigil, operatorToken)
  const operator = `/v2/operator/accounts/${account}`
  const rights = { authoring: true, management: true, trusted_user: true, custom_suffix: true }
  await operate('PUT', `${operator}/access`, rights)
  for (const sender_id of ['Ada Shop', 'ADA BANK', '24680', 'Ada Club']) {
    await send('POST', `${management}/sender-id`, { sender_id })
  }
  await operate('POST', `${operator}/sender-ids/approve`, { sender_id: 'Ada Shop' })
  const reason = 'It reads like a bank: use the name of the shop'
  await operate('POST', `${operator}/sender-ids/reject`, { sender_id: 'ADA BANK', reason })
  await send('POST', `${management}/templates`, { name: 'Payouts', kind: 'psd2', code_size: 8 })
  const { body, text } = await send('POST', `${management}/templates`, {
    name: 'Ada Shop',
    ttl_minutes: 5,
    suffix: 'Ada Shop',
  })
  if (body['id'] === undefined) throw new Error(text)
  return { ...shop, template: String(body['id']) }
}
