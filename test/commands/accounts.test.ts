import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideAccess, decideOpening } from '../../src/commands/accounts/accounts.ts'
import { decideApiTokenIssue } from '../../src/commands/accounts/issueApiToken.ts'
import type { Scope } from '../../src/domain/principal.ts'
import { evolveAccount, isInForce, noAccount } from '../../src/events/accounts/account.ts'
import { accountAfter, fact, opened } from './support/givenAccount.ts'
import { outcome } from './support/outcome.ts'

const allOn = [
  'AuthoringEnabled',
  'ManagementEnabled',
  'TrustedUserAgreed',
  'CustomSuffixEnabled',
].map((type) => fact(type))
const issue = (tokenId: string, scopes: readonly Scope[] = ['eval']) =>
  decideApiTokenIssue({ tokenId, hash: `hash of ${tokenId}`, scopes }, 0)

test('an account is opened once, and nothing is decided of one that was never opened', () => {
  const open = decideOpening({ accountId: 'acc_1', name: 'Ann' })

  expect(outcome(noAccount, open)).toEqual([opened])
  expect(outcome(accountAfter(), open)).toEqual(['conflict'])
  for (const decide of [decideAccess({ authoring: true }), issue('tok_1')]) {
    expect(outcome(noAccount, decide)).toEqual(['not_found'])
  }
})

test('each access is switched by an event of its own', () => {
  const on = { authoring: true, management: true, trusted_user: true, custom_suffix: true }
  const off = { authoring: false, management: false, trusted_user: false, custom_suffix: false }
  const enabled = accountAfter(...allOn)

  expect(outcome(accountAfter(), decideAccess(on))).toEqual(allOn)
  expect(outcome(enabled, decideAccess(on))).toEqual([])
  expect(outcome(enabled, decideAccess(off))).toEqual(
    ['AuthoringDisabled', 'ManagementDisabled', 'TrustedUserWithdrawn', 'CustomSuffixDisabled'].map(
      (type) => fact(type),
    ),
  )
})

test('a token is issued with its hash alone, each scope once', () => {
  const state = accountAfter()

  expect(outcome(state, issue('tok_1', ['eval', 'author', 'eval']))).toEqual([
    fact('ApiTokenIssued', {
      token_id: 'tok_1',
      hash: 'hash of tok_1',
      scopes: ['eval', 'author'],
    }),
  ])
})

const now = Date.UTC(2026, 10, 21)
const hour = 60 * 60 * 1_000
const year = 365 * 24 * hour
/** A decision to issue a token that ends then. */
const ending = (tokenId: string, expiresAtMs: number | undefined, nowMs = now) =>
  decideApiTokenIssue(
    { tokenId, hash: 'h', scopes: ['eval'], ...(expiresAtMs !== undefined && { expiresAtMs }) },
    nowMs,
  )

describe('issuing a token', () => {
  test.each([
    ['now', now],
    ['past', now - 1],
    ['more than ten years ahead', now + 10 * year + 1],
  ])('an end that is %s is refused by name', (_, expiresAtMs) => {
    const issuing = ending('tok_1', expiresAtMs)

    expect(outcome(accountAfter(), issuing)).toEqual([
      'invalid_request',
      expect.stringMatching(/^expires_at: /),
    ])
  })

  test.each([
    ['the next millisecond', now + 1],
    ['ten years ahead', now + 10 * year],
  ])('an end that is %s is taken', (_, expiresAtMs) => {
    expect(ending('tok_1', expiresAtMs)(accountAfter())).toHaveLength(1)
  })

  test('a thousand in force are the most; those that were revoked or have expired do not count', () => {
    const tokens = Array.from({ length: 1_000 }, (_, index) =>
      ending(`tok_${index}`, now + hour)(accountAfter()),
    ).flat()
    const full = accountAfter(...tokens)
    const another = ending('tok_x', undefined)

    expect(outcome(full, another)[0]).toBe('conflict')
    expect(
      another(evolveAccount(full, fact('ApiTokenRevoked', { token_id: 'tok_7' }))),
    ).toHaveLength(1)
    expect(ending('tok_x', undefined, now + hour)(full)).toHaveLength(1)
  })
})

test('a token is in force until its end, not at it, and never once revoked', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: -3, max: 3 }), fc.boolean(), (end, offset, gone) => {
      const token = { hash: 'h', scopes: [], revoked: gone }

      expect(isInForce({ ...token, expiresAt: end }, end + offset)).toBe(!gone && offset < 0)
      expect(isInForce(token, end)).toBe(!gone)
    }),
  )
})
