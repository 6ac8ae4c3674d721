import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { permitOperator, permitScope } from '../../src/auth/permit.ts'
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
  expect(permitScope(evaluator, ['author', 'analyse'])).toBe(evaluator)
  expect(() => permitScope(evaluator, ['author', 'audit'])).toThrow(
    /the scope 'author' or 'audit'\.$/,
  )
  expect(() => permitScope(evaluator, [])).toThrow()
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

        expect(refused(() => permitScope(principal, asked))).toBe(
          shared ? undefined : 'insufficient_scope',
        )
        expect(refused(() => permitOperator(principal))).toBe('insufficient_scope')
      }),
      { numRuns: draws(200) },
    )
  })

  test('are nothing to the operator, who is no account', () => {
    fc.assert(
      fc.property(some, (asked) => {
        expect(refused(() => permitScope({ kind: 'operator' }, asked))).toBe('insufficient_scope')
      }),
    )
    expect(permitOperator({ kind: 'operator' })).toEqual({ kind: 'operator' })
  })
})
