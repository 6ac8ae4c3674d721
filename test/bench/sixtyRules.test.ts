import { describe, expect, test } from 'vitest'
import { readsOf } from '../../bench/conditions.ts'
import { celText } from '../../bench/notations.ts'
import { people, person } from '../../bench/people.ts'
import { fifteenSignals, sixtyRules } from '../../bench/sixtyRules.ts'
import { parseRule } from '../../src/engine/language/parse/parseRule.ts'

describe('the measured rules', () => {
  test('are sixty, none twice', () => {
    expect(new Set(sixtyRules.map(celText)).size).toBe(60)
  })

  test('read fifteen signals between them', () => {
    const read = new Set(sixtyRules.flatMap(readsOf).map(({ name }) => name))

    expect([...read].sort()).toEqual([...fifteenSignals].sort())
  })

  test.each(sixtyRules.map(celText))('%s is a rule', (text) => {
    expect(parseRule(text)).toHaveProperty('expression')
  })
})

describe('the measured people', () => {
  test('are the same in every run', () => {
    expect(person(4711)).toEqual(person(4711))
  })

  test('differ in number and address', () => {
    const some = people(2_000)

    expect(new Set(some.map(({ phone_number }) => phone_number)).size).toBe(2_000)
    expect(new Set(some.map(({ email_address }) => email_address)).size).toBe(2_000)
  })
})
