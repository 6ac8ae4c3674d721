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

interface Case {
  readonly what: string
  readonly given: readonly AccountEvent[]
  readonly when: Decide
  readonly gives: ReturnType<typeof outcome>
}

const fact = (type: string, data: object = {}) => ({ type, data }) as AccountEvent
const opened = fact('AccountOpened', { account_id: 'acc_1', name: 'Ann' })
const allOn = [
  'AuthoringEnabled',
  'ManagementEnabled',
  'TrustedUserAgreed',
  'CustomSuffixEnabled',
].map((type) => fact(type))
const issued = (token_id: string, scopes: readonly Scope[] = ['eval']) =>
  fact('ApiTokenIssued', { token_id, hash: `hash of ${token_id}`, scopes })
const revoked = (token_id: string) => fact('ApiTokenRevoked', { token_id })

const noSuchAccount = ['not_found']
const issue = (tokenId: string, scopes: readonly Scope[] = ['eval']) =>
  decideTokenIssue({ tokenId, hash: `hash of ${tokenId}`, scopes }, 0)

const cases: readonly Case[] = [
  {
    what: 'an account is opened',
    given: [],
    when: decideOpening({ accountId: 'acc_1', name: 'Ann' }),
    gives: [opened],
  },
  {
    what: 'an account is opened once',
    given: [opened],
    when: decideOpening({ accountId: 'acc_1', name: 'Other' }),
    gives: ['conflict'],
  },
  {
    what: 'what an account may use is switched on, each by an event of its own',
    given: [opened],
    when: decideAccess({
      authoring: true,
      management: true,
      trusted_user: true,
      custom_suffix: true,
    }),
    gives: allOn,
  },
  {
    what: 'what an account may use is switched off',
    given: [opened, ...allOn],
    when: decideAccess({
      authoring: false,
      management: false,
      trusted_user: false,
      custom_suffix: false,
    }),
    gives: [
      fact('AuthoringDisabled'),
      fact('ManagementDisabled'),
      fact('TrustedUserWithdrawn'),
      fact('CustomSuffixDisabled'),
    ],
  },
  {
    what: 'what is left out stays',
    given: [opened, fact('AuthoringEnabled'), fact('TrustedUserAgreed')],
    when: decideAccess({ trusted_user: false }),
    gives: [fact('TrustedUserWithdrawn')],
  },
  {
    what: 'what is so already is no event',
    given: [opened, fact('AuthoringEnabled')],
    when: decideAccess({ authoring: true, management: false }),
    gives: [],
  },
  {
    what: 'the access of an account that was never opened is not set',
    given: [],
    when: decideAccess({ authoring: true }),
    gives: noSuchAccount,
  },
  {
    what: 'a token is issued with its hash alone, each scope once',
    given: [opened],
    when: issue('tok_1', ['eval', 'author', 'eval']),
    gives: [issued('tok_1', ['eval', 'author'])],
  },
  {
    what: 'no token is issued on an account that was never opened',
    given: [],
    when: issue('tok_1'),
    gives: noSuchAccount,
  },
  {
    what: 'a token is revoked',
    given: [opened, issued('tok_1'), issued('tok_2')],
    when: decideTokenRevocation('tok_1'),
    gives: [revoked('tok_1')],
  },
  {
    what: 'a token that is revoked already is no event',
    given: [opened, issued('tok_1'), revoked('tok_1')],
    when: decideTokenRevocation('tok_1'),
    gives: [],
  },
  {
    what: 'a token that the account never had is not found',
    given: [opened, issued('tok_1')],
    when: decideTokenRevocation('tok_2'),
    gives: noSuchAccount,
  },
  {
    what: 'no token is revoked on an account that was never opened',
    given: [],
    when: decideTokenRevocation('tok_1'),
    gives: noSuchAccount,
  },
]

test.each(cases)('$what', ({ given, when, gives }) => {
  expect(outcome(after(noAccount, evolveAccount, given), when)).toEqual(gives)
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
