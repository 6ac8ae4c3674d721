import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/principal.ts'
import { openKnownSenders } from '../../src/http/middleware/knownSenders.ts'
import type { Context } from '../../src/http/request/context.ts'
import { accountNumber } from './support/fakeService.ts'

const account = (number: number, tokenId: string): Principal => ({
  kind: 'account',
  accountId: accountNumber(number),
  tokenId,
  scopes: [],
})

const asked = (authorization: string | undefined, principal?: Principal) =>
  ({ req: { headers: { authorization } }, ip: '192.0.2.1', state: { principal } }) as Context

test('a token that was good stands for its account from then on, all others for their address', () => {
  const senders = openKnownSenders()
  const before = senders.of(asked('Bearer one'), false)
  senders.learn(asked('Bearer one', account(1, 'tok_1')))
  senders.learn(asked('Bearer two', account(1, 'tok_2')))
  senders.learn(asked('Bearer bad'))

  const after = ['Bearer one', 'Bearer two', 'Bearer bad', undefined].map((header) =>
    senders.of(asked(header), false),
  )

  expect(before).toBe('address 192.0.2.1')
  expect(after).toEqual([accountNumber(1), accountNumber(1), before, before])
})

test('whoever watches the service waits behind no account', () => {
  const senders = openKnownSenders()
  senders.learn(asked('Bearer one', account(1, 'tok_1')))

  expect(senders.of(asked('Bearer one'), true)).toBe('monitoring 192.0.2.1')
})
