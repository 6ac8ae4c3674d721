/** What an account in memory holds does not grow with the tokens it has had. */

import { expect, test } from 'vitest'
import { accountStreamType } from '../../src/commands/accounts/accounts.ts'
import { decideTokenRevocation } from '../../src/commands/accounts/tokens.ts'
import type { AccountEvent } from '../../src/events/accounts/account.ts'

const opened: AccountEvent = { type: 'AccountOpened', data: { account_id: 'acc_1', name: 'a' } }
const issued = (token: number, expires_at?: number): AccountEvent => ({
  type: 'ApiTokenIssued',
  data: {
    token_id: `tok_${token}`,
    hash: 'h',
    scopes: ['eval'],
    ...(expires_at !== undefined && { expires_at }),
  },
})
const revoked = (token: number): AccountEvent => ({
  type: 'ApiTokenRevoked',
  data: { token_id: `tok_${token}` },
})

function folded(events: readonly AccountEvent[]) {
  let state = accountStreamType.initial()
  for (const event of [opened, ...events]) {
    state = accountStreamType.evolve(state, event, 0)
    accountStreamType.trim?.(state, [event])
  }
  return state
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

test('tokens that were revoked are forgotten but for the last', () => {
  const state = folded(numbers(1_000).flatMap((token) => [issued(token), revoked(token)]))

  expect(state.tokens.size).toBe(100)
  expect(state.tokens.get('tok_999')?.revoked).toBe(true)
})

test('tokens that have expired are forgotten, those without an end never', () => {
  const lasting = issued(1)
  const state = folded([lasting, ...numbers(3_000).map((token) => issued(token + 10, token))])

  expect(state.tokens.size).toBe(2_000)
  expect(state.tokens.has('tok_1')).toBe(true)
  expect([state.tokens.has('tok_10'), state.tokens.has('tok_3009')]).toEqual([false, true])
})

test('a token that is forgotten is revoked again without a change; one that never was is not found', () => {
  const state = folded([])

  expect(decideTokenRevocation('tok_1', true)(state)).toEqual([])
  expect(() => decideTokenRevocation('tok_1')(state)).toThrow('The account has no such token.')
})
