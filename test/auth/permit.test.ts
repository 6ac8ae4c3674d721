import { expect, test } from 'vitest'
import { permitOperator, permitScope } from '../../src/auth/permit.ts'
import type { Principal } from '../../src/domain/principal.ts'

const operator: Principal = { kind: 'operator' }
const evaluator: Principal = {
  kind: 'account',
  accountId: 'acc_1',
  tokenId: 'tok_1',
  scopes: ['eval', 'analyse'],
}

test('a token may do what its scopes say', () => {
  expect(permitScope(evaluator, ['eval'])).toBe(evaluator)
  expect(permitScope(evaluator, ['analyse'])).toBe(evaluator)
})

test('a token without the scope is refused by the name of the scope', () => {
  expect(() => permitScope(evaluator, ['author'])).toThrow(/the scope 'author'\.$/)
})

test('of several scopes one is enough, and without any all are named', () => {
  expect(permitScope(evaluator, ['author', 'analyse'])).toBe(evaluator)
  expect(() => permitScope(evaluator, ['author', 'audit'])).toThrow(
    /the scope 'author' or 'audit'\.$/,
  )
  expect(() => permitScope(evaluator, [])).toThrow()
})

test('the operator is not an account, and no account is the operator', () => {
  expect(() => permitScope(operator, ['eval'])).toThrow()
  expect(permitOperator(operator)).toBe(operator)
  expect(() => permitOperator({ ...evaluator, scopes: ['operate'] })).toThrow()
})
