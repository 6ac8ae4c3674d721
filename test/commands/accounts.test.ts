import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideAccess, decideOpening } from '../../src/commands/accounts/accounts.ts'
import { decideTokenIssue, decideTokenRevocation } from '../../src/commands/accounts/tokens.ts'
import type { Scope } from '../../src/domain/principal.ts'
import {
  type AccountEvent,
  type AccountState,
  evolveAccount,
  noAccount,
} from '../../src/events/accounts/account.ts'
import { draws } from '../support/draws.ts'
import { after, outcome } from './support/outcome.ts'

type Decide = (state: AccountState) => readonly AccountEvent[]

const fact = (type: string, data: object = {}) => ({ type, data }) as AccountEvent
const opened = fact('AccountOpened', { account_id: 'acc_1', name: 'Ann' })
const allOn = [
  'AuthoringEnabled',
  'ManagementEnabled',
  'TrustedUserAgreed',
  'CustomSuffixEnabled',
].map((type) => fact(type))
const issue = (tokenId: string, scopes: readonly Scope[] = ['eval']) =>
  decideTokenIssue({ tokenId, hash: `hash of ${tokenId}`, scopes }, 0)

test('an account is opened once, and nothing is decided of one that was never opened', () => {
  const open = decideOpening({ accountId: 'acc_1', name: 'Ann' })

  expect(outcome(noAccount, open)).toEqual([opened])
  expect(outcome(after(noAccount, evolveAccount, [opened]), open)).toEqual(['conflict'])
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
  const enabled = after(noAccount, evolveAccount, [opened, ...allOn])

  expect(outcome(after(noAccount, evolveAccount, [opened]), decideAccess(on))).toEqual(allOn)
  expect(outcome(enabled, decideAccess(off))).toEqual(
    ['AuthoringDisabled', 'ManagementDisabled', 'TrustedUserWithdrawn', 'CustomSuffixDisabled'].map(
      (type) => fact(type),
    ),
  )
})

test('a token is issued with its hash alone, each scope once', () => {
  const state = after(noAccount, evolveAccount, [opened])

  expect(outcome(state, issue('tok_1', ['eval', 'author', 'eval']))).toEqual([
    fact('ApiTokenIssued', {
      token_id: 'tok_1',
      hash: 'hash of tok_1',
      scopes: ['eval', 'author'],
    }),
  ])
})

describe('whatever is asked of an account', () => {
  type Access = 'authoring' | 'management' | 'trusted_user' | 'custom_suffix'
  interface Model {
    readonly access: Record<Access, boolean>
    readonly tokens: Map<string, 'in force' | 'revoked'>
  }
  interface Asked {
    readonly decide: Decide
    /** What it makes of the model; false for what is refused. */
    readonly apply: (model: Model) => boolean
  }

  const access = fc.record(
    {
      authoring: fc.boolean(),
      management: fc.boolean(),
      trusted_user: fc.boolean(),
      custom_suffix: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  const token = fc.constantFrom('tok_1', 'tok_2', 'tok_3')
  const asked = fc.oneof(
    access.map(
      (wanted): Asked => ({
        decide: decideAccess(wanted),
        apply: (model) => {
          Object.assign(model.access, wanted)
          return true
        },
      }),
    ),
    token.map(
      (id): Asked => ({
        decide: issue(id),
        apply: ({ tokens: all }) => {
          all.set(id, 'in force')
          return true
        },
      }),
    ),
    token.map(
      (id): Asked => ({
        decide: decideTokenRevocation(id),
        apply: ({ tokens: all }) => {
          if (all.has(id)) all.set(id, 'revoked')
          return all.has(id)
        },
      }),
    ),
  )

  test('the fold of the events is what was asked for, and asking again changes nothing', () =>
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 30 }), (commands) => {
        const model: Model = {
          access: {
            authoring: false,
            management: false,
            trusted_user: false,
            custom_suffix: false,
          },
          tokens: new Map(),
        }
        let state = evolveAccount(noAccount, opened)
        for (const { decide, apply } of commands) {
          const done = outcome(state, decide)
          const isRefused = typeof done[0] === 'string'
          expect(isRefused).toBe(!apply(model))
          if (!isRefused) state = after(state, evolveAccount, done as readonly AccountEvent[])
        }

        expect({
          authoring: state.authoring,
          management: state.management,
          trusted_user: state.trustedUser,
          custom_suffix: state.customSuffix,
        }).toEqual(model.access)
        const held = [...state.tokens].map(([id, { revoked: gone }]) => [
          id,
          gone ? 'revoked' : 'in force',
        ])
        expect(new Map(held as [string, string][])).toEqual(model.tokens)
        expect(decideAccess(model.access)(state)).toEqual([])
        expect(state.name).toBe('Ann')
      }),
      { numRuns: draws(200) },
    ))
})
