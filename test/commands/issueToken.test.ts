import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideTokenIssue, decideTokenRevocation } from '../../src/commands/accounts/tokens.ts'
import { Failure } from '../../src/domain/failure.ts'
import {
  type AccountEvent,
  type AccountState,
  evolveAccount,
  isInForce,
  noAccount,
} from '../../src/events/accounts/account.ts'

const now = Date.UTC(2026, 10, 21)
const hour = 60 * 60 * 1_000
const year = 365 * 24 * hour

const opened: AccountEvent = {
  type: 'AccountOpened',
  data: { account_id: 'acc_1', name: 'Shop' },
}
const accountAfter = (...events: readonly AccountEvent[]): AccountState =>
  [opened, ...events].reduce(evolveAccount, noAccount)

const token = (tokenId: string, more: { name?: string; expiresAtMs?: number } = {}) => ({
  tokenId,
  hash: 'h',
  scopes: ['eval'] as const,
  ...more,
})
const issued = (tokenId: string, expiresAtMs?: number) =>
  decideTokenIssue(
    token(tokenId, expiresAtMs === undefined ? {} : { expiresAtMs }),
    now,
  )(accountAfter())

const refusalOf = (decide: () => unknown): Failure => {
  try {
    decide()
  } catch (error) {
    if (error instanceof Failure) return error
  }
  throw new Error('it was not refused')
}

describe('issuing a token', () => {
  test.each([
    ['now', now],
    ['past', now - 1],
    ['more than ten years ahead', now + 10 * year + 1],
  ])('an end that is %s is refused by name', (_, expiresAtMs) => {
    const { code, details } = refusalOf(() => issued('tok_1', expiresAtMs))

    expect([code, details?.map(({ path }) => path)]).toEqual(['invalid_request', ['expires_at']])
  })

  test.each([
    ['the next millisecond', now + 1],
    ['ten years ahead', now + 10 * year],
  ])('an end that is %s is taken', (_, expiresAtMs) => {
    expect(issued('tok_1', expiresAtMs)).toHaveLength(1)
  })

  test('a thousand in force are the most; those that were revoked or have expired do not count', () => {
    const tokens = Array.from({ length: 1_000 }, (_, index) =>
      decideTokenIssue(token(`tok_${index}`, { expiresAtMs: now + hour }), now)(accountAfter()),
    ).flat()
    const full = accountAfter(...tokens)
    const another = decideTokenIssue(token('tok_x'), now)
    const revoked = evolveAccount(full, {
      type: 'ApiTokenRevoked',
      data: { token_id: 'tok_7' },
    })

    expect(refusalOf(() => another(full)).code).toBe('conflict')
    expect(another(revoked)).toHaveLength(1)
    expect(decideTokenIssue(token('tok_x'), now + hour)(full)).toHaveLength(1)
  })
})

test('revoking a token that has expired is recorded all the same', () => {
  const state = accountAfter(...issued('tok_1', now + 1))

  expect(decideTokenRevocation('tok_1')(state)).toEqual([
    { type: 'ApiTokenRevoked', data: { token_id: 'tok_1' } },
  ])
})

test('a token is in force until its end, not at it, and never once revoked', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: -3, max: 3 }), fc.boolean(), (end, offset, revoked) => {
      const state = { hash: 'h', scopes: [], revoked, expiresAt: end }

      expect(isInForce(state, end + offset)).toBe(!revoked && offset < 0)
      expect(isInForce({ hash: 'h', scopes: [], revoked }, end)).toBe(!revoked)
    }),
  )
})
