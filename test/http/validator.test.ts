import { describe, expect, test } from 'vitest'
import {
  areDetailsComplete,
  compileSchema,
  toFailureDetails,
} from '../../src/http/request/schema/validator.ts'

const fits = compileSchema<{ rules: readonly { name: string }[] }>({
  type: 'object',
  properties: {
    rules: {
      type: 'array',
      maxItems: 50_000,
      items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  },
  required: ['rules'],
  additionalProperties: false,
})
const rules = (count: number, name: unknown) => ({
  rules: Array.from({ length: count }, () => ({ name })),
})

describe('a check', () => {
  test('looks for every problem of a value that is not very large', () => {
    const value = { rules: [{ name: 1 }, {}, { name: 'A' }], colour: 'red' }

    expect(fits(value)).toBe(false)
    const details = toFailureDetails(fits.errors)
    expect(details.map(({ path }) => path).sort()).toEqual([
      'colour',
      'rules.0.name',
      'rules.1.name',
    ])
    expect(areDetailsComplete(value, details)).toBe(true)
  })

  test.each([
    ['wrong everywhere', rules(20_000, 1), 'rules.0.name'],
    ['longer than it may be', { rules: Array(1_000_000).fill(1) }, 'rules'],
    [
      'of unknown fields',
      Object.fromEntries([['rules', []], ...Array.from({ length: 40_000 }, (_, at) => [at, at])]),
      '0',
    ],
  ])('stops at the first problem of a very large value %s', (_case, value, path) => {
    expect(fits(value)).toBe(false)
    const details = toFailureDetails(fits.errors)
    expect(fits.errors).toHaveLength(1)
    expect(details.map((detail) => detail.path)).toEqual([path])
    expect(areDetailsComplete(value, details)).toBe(false)
  })

  test('accepts a very large value that fits, and forgets the problems of the one before', () => {
    expect(fits({})).toBe(false)
    expect(fits(rules(40_000, 'A'))).toBe(true)
    expect(fits.errors).toBeNull()
  })

  test('does not take as many problems as are told for all there are', () => {
    const value = rules(101, 1)

    expect(fits(value)).toBe(false)
    expect(areDetailsComplete(value, toFailureDetails(fits.errors))).toBe(false)
  })
})
