import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accountStreamType,
  decideAccess,
  decideOpening,
} from '../../src/commands/accounts/accounts.ts'
import { decideTokenIssue, decideTokenRevocation } from '../../src/commands/accounts/tokens.ts'
import type { Scope } from '../../src/domain/principal.ts'
import {
  type AccountEvent,
  type AccountState,
  evolveAccount,
  isInForce,
  noAccount,
} from '../../src/events/accounts/account.ts'
import { after, outcome } from './support/outcome.ts'

const fact = (type: string, data: object = {}) => ({ type, data }) as AccountEvent
const opened = fact('AccountOpened', { account_id: 'acc_1', name: 'Ann' })
const allOn = [
  'AuthoringEnabled',
  'ManagementEnabled',
  'TrustedUserAgreed',
  'CustomSuffixEnabled',
].map((type) => fact(type))
const accountAfter = (...events: readonly AccountEvent[]): AccountState =>
  after(noAccount, evolveAccount, [opened, ...events])
const issue = (tokenId: string, scopes: readonly Scope[] = ['eval']) =>
  decideTokenIssue({ tokenId, hash: `hash of ${tokenId}`, scopes }, 0)

test('an account is opened once, and nothing is decided of one that was never opened', () => {
  const open = decideOpening({ accountId: 'acc_1', name: 'Ann' })

  expect(outcome(noAccount, open)).toEqual([opened])
  expect(outcome(accountAfter(), open)).toEqual(['conflict'])
  for (const decide of [
    decideAccess({ authoring: true }),
    issue('tok_1'),
    decideTokenRevocation('tok_1'),
  ]) {
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
const revoked = (token_id: string) => fact('ApiTokenRevoked', { token_id })
/** A decision to issue a token that ends then. */
const ending = (tokenId: string, expiresAtMs: number | undefined, nowMs = now) =>
  decideTokenIssue(
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
    expect(another(evolveAccount(full, revoked('tok_7')))).toHaveLength(1)
    expect(ending('tok_x', undefined, now + hour)(full)).toHaveLength(1)
  })
})

test('revoking a token that has expired is recorded all the same', () => {
  const state = accountAfter(...ending('tok_1', now + 1)(accountAfter()))

  expect(decideTokenRevocation('tok_1')(state)).toEqual([revoked('tok_1')])
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

const issued = (token_id: string, expires_at?: number) =>
  fact('ApiTokenIssued', {
    token_id,
    hash: 'h',
    scopes: ['eval'],
    ...(expires_at !== undefined && { expires_at }),
  })

/** The state as it is kept in memory. */
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
  const state = folded(
    numbers(1_000).flatMap((token) => [issued(`tok_${token}`), revoked(`tok_${token}`)]),
  )

  expect(state.tokens.size).toBe(100)
  expect(state.tokens.get('tok_999')?.revoked).toBe(true)
})

test('tokens that have expired are forgotten, those without an end never', () => {
  const lasting = issued('tok_1')
  const state = folded([
    lasting,
    ...numbers(3_000).map((token) => issued(`tok_${token + 10}`, token)),
  ])

  expect(state.tokens.size).toBe(2_000)
  expect(state.tokens.has('tok_1')).toBe(true)
  expect([state.tokens.has('tok_10'), state.tokens.has('tok_3009')]).toEqual([false, true])
})

test('a token that is forgotten is revoked again without a change; one that never was is not found', () => {
  const state = folded([])

  expect(decideTokenRevocation('tok_1', true)(state)).toEqual([])
  expect(() => decideTokenRevocation('tok_1')(state)).toThrow('The account has no such token.')
})
