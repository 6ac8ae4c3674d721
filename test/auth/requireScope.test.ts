import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requireOperator, requireScope } from '../../src/auth/requireScope.ts'
import { Failure } from '../../src/domain/failure.ts'
import { scopes as all, type Principal } from '../../src/domain/principal.ts'
import { draws } from '../support/draws.ts'

const evaluator: Principal = {
  kind: 'account',
  accountId: 'acc_1',
  tokenId: 'tok_1',
  scopes: ['eval', 'analyse'],
}

test('of several scopes one is enough, and without any all are named', () => {
  expect(requireScope(evaluator, ['author', 'analyse'])).toBe(evaluator)
  expect(() => requireScope(evaluator, ['author', 'audit'])).toThrow(
    /the scope 'author' or 'audit'\.$/,
  )
  expect(() => requireScope(evaluator, [])).toThrow()
})

describe('scopes', () => {
  const some = fc.subarray([...all])
  const refused = (act: () => unknown): unknown => {
    try {
      act()
      return undefined
    } catch (error) {
      return error instanceof Failure ? error.code : error
    }
  }

  test('permit exactly where one of them is asked for', () => {
    fc.assert(
      fc.property(some, some, (scopes, asked) => {
        const principal: Principal = {
          kind: 'account',
          accountId: 'acc_1',
          tokenId: 'tok_1',
          scopes,
        }
        const shared = asked.some((scope) => scopes.includes(scope))

        expect(refused(() => requireScope(principal, asked))).toBe(
          shared ? undefined : 'insufficient_scope',
        )
        expect(refused(() => requireOperator(principal))).toBe('insufficient_scope')
      }),
      { numRuns: draws(200) },
    )
  })

  test('are nothing to the operator, who is no account', () => {
    fc.assert(
      fc.property(some, (asked) => {
        expect(refused(() => requireScope({ kind: 'operator' }, asked))).toBe('insufficient_scope')
      }),
    )
    expect(requireOperator({ kind: 'operator' })).toEqual({ kind: 'operator' })
  })
})
