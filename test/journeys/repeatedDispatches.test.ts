import { expect, test } from 'vitest'
import { recordDispatch } from '../../src/commands/signals/dispatches.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { openCustomer } from '../support/openVigil.ts'

test('a dispatch that is on record is answered while sealing keys are short, as it was before', async () => {
  const { a } = await openTwoInstances()
  const { accountId } = await openCustomer(a)
  const call = { principal: { kind: 'operator' as const }, requestId: '0' }
  const dispatch = { dispatch_id: 'one', signals: { ip: '203.0.113.9' } }
  const first = await recordDispatch(a.context, call, { account: accountId, ...dispatch })
  Object.assign(a.keyring, { hasSpare: () => false })

  const again = await recordDispatch(a.context, call, { account: accountId, ...dispatch })

  expect(again.position).toBe(first.position)
})
