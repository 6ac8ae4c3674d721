/** Tokens and SDK keys are revoked, and those that ended are forgotten. */

import { describe, expect, test } from 'vitest'
import { decideRevocation } from '../../src/commands/accounts/revokeCredential.ts'
import { noAccount } from '../../src/events/accounts/account.ts'
import { accountAfter, fact } from './support/givenAccount.ts'
import { outcome } from './support/outcome.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const token = (token_id: string, more: object = {}) =>
  fact('ApiTokenIssued', { token_id, hash: 'h', scopes: ['eval'], ...more })

describe.each([
  ['token', token, (token_id: string) => fact('ApiTokenRevoked', { token_id })],
  [
    'sdkKey',
    (key_id: string) => fact('SdkKeyIssued', { key_id }),
    (key_id: string) => fact('SdkKeyRevoked', { key_id }),
  ],
] as const)('a credential: %s', (kind, issued, revoked) => {
  const revoke = (wasIssued = false) => decideRevocation({ kind, id: 'a' }, wasIssued)

  test('is revoked once, also when it is forgotten; one that never was is not found', () => {
    expect(outcome(accountAfter(issued('a')), revoke())).toEqual([revoked('a')])
    expect(outcome(accountAfter(issued('a'), revoked('a')), revoke())).toEqual([])
    expect(outcome(accountAfter(), revoke(true))).toEqual([])
    expect(outcome(accountAfter(), revoke())).toEqual(['not_found'])
    expect(outcome(noAccount, revoke(true))).toEqual(['not_found'])
  })

  test('is forgotten when a hundred others were revoked later, and not before', () => {
    const ended = numbers(1_000).flatMap((id) => [issued(`${id}`), revoked(`${id}`)])
    const { tokens, sdkKeys } = accountAfter(issued('alive'), ...ended)

    const kept = kind === 'token' ? tokens : sdkKeys
    expect([...kept.keys()]).toEqual(['alive', ...numbers(100).map((id) => `${900 + id}`)])
    expect([kept.get('alive')?.revoked, kept.get('999')?.revoked]).toEqual([false, true])
  })
})

test('tokens that have expired are forgotten, those without an end never', () => {
  const ending = numbers(3_000).map((expires_at) => token(`${expires_at}`, { expires_at }))
  const { tokens } = accountAfter(token('lasting'), ...ending)

  expect(tokens.size).toBe(2_000)
  expect(['lasting', '0', '2999'].map((id) => tokens.has(id))).toEqual([true, false, true])
})

test('a token that has expired is revoked all the same', () => {
  const state = accountAfter(token('a', { expires_at: 0 }))

  expect(decideRevocation({ kind: 'token', id: 'a' }, false)(state)).toHaveLength(1)
})
