import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  buildCostFunction,
  charges,
  operationCharges,
  preparedId,
  requireCost,
} from '../../src/engine/language/operationCosts.ts'
import { operations } from '../../src/engine/language/operators/operationTable.ts'
import { ruleLimits } from '../../src/engine/language/ruleLimits.ts'
import { draws } from '../support/draws.ts'
import { arbitraryEvidence, arbitraryRule } from './support/arbitraryRule.ts'
import {
  compile,
  evidenceOf,
  planOf,
  problemsOf,
  recipeOf,
  ruleOf,
  type Values,
} from './support/evaluate.ts'
import { spentOn } from './support/spentOn.ts'

/**
 * What rules take, and how a flow of heavy ones comes out, under version 1; once that is released, it is never written
 * anew.
 */
const before = JSON.parse(readFileSync('test/engine/fixtures/steps.v1.json', 'utf8')) as {
  readonly evidence: Readonly<Record<string, Values>>
  readonly steps: readonly {
    readonly rule: string
    readonly ran: readonly [version: number, evidence: string, foreseen: number, spent: number][]
  }[]
  readonly flow: readonly { readonly id: string; readonly rule: string }[]
  readonly runs: readonly { readonly semantics: number; readonly outcomes: string }[]
}

describe('every operation of the language', () => {
  const charged = operations.flatMap(({ id, needsLiteral: literalOnly, prepare }) => [
    ...(literalOnly ? [] : [id]),
    ...(prepare ? [preparedId(id)] : []),
  ])

  test('has a charge, and nothing else has one', () => {
    expect(Object.keys(operationCharges).sort()).toEqual([...new Set(charged)].sort())
  })

  test.each([...new Set(charged)])('costs something, and more the longer it works: %s', (id) => {
    const cost = requireCost(id)

    expect(cost(0, 0)).toBeGreaterThanOrEqual(1)
    expect(cost(ruleLimits.evidenceChars, ruleLimits.evidenceChars)).toBeGreaterThanOrEqual(
      cost(8, 8),
    )
  })

  test('of no charge cannot be compiled', () => {
    expect(() => requireCost('power(int, int)')).toThrow('without a charge')
  })

  test('whose charge has a most costs no more beyond it', () => {
    const cost = buildCostFunction({ base: 2, first: 3, firstMost: 10 })

    expect([cost(0, 0), cost(9, 5), cost(10, 0), cost(8192, 0)]).toEqual([2, 29, 32, 32])
  })
})

describe('what ran under version 1', () => {
  test.each(before.steps)('takes the steps it took: $rule', ({ rule, ran }) => {
    for (const [version, evidence, foreseen, spent] of ran) {
      const again = spentOn(rule, before.evidence[evidence] ?? {})

      expect([version, evidence, again.foreseen, again.spent]).toEqual([
        version,
        evidence,
        foreseen,
        spent,
      ])
    }
  })

  test.each(before.runs)('stops where it stopped: $outcomes', (run) => {
    const plan = planOf(recipeOf(before.flow.map(({ id, rule }) => ruleOf(id, rule))))
    const compiled = compile({ ...plan, semantics: run.semantics })

    const again = compiled.run(evidenceOf(before.evidence['long'] ?? {}))

    const [recorded] = compiled.encodeRun(again).recipes
    expect(recorded?.outcomes).toBe(run.outcomes)
  })
})

describe('a list that a rule makes', () => {
  const numbers = (count: number) => `[${Array.from({ length: count }, (_, at) => at)}]`
  const made = (items: number) =>
    `${numbers(100)}.all(a, size([${Array.from({ length: items }, () => 'a')}]) > int(signal.ext.n))`

  test('is paid with every one of its items', () => {
    const values = { 'signal.ext.n': '0' }

    const few = spentOn(made(10), values)
    const many = spentOn(made(200), values)

    expect(many.spent - few.spent).toBeGreaterThanOrEqual(100 * 190)
    expect(few.spent).toBeLessThanOrEqual(few.foreseen)
  })
})

/** Every rule that a plan can hold together takes no more than the run has. */
test('all rules of a run together take no more than is set aside for them', () => {
  const heavy = `[${Array.from({ length: 90 }, (_, at) => at)}].all(a, [${Array.from({ length: 60 }, (_, at) => at)}].all(b, a + b + int(signal.ext.n) >= 0))`
  const rules = fc.array(fc.oneof(arbitraryRule, fc.constant(heavy)), {
    minLength: 1,
    maxLength: 60,
  })
  fc.assert(
    fc.property(rules, arbitraryEvidence, (texts, values) => {
      const fitting = texts.filter((text) => problemsOf(text).length === 0)
      const plan = planOf(recipeOf(fitting.map((text, at) => ruleOf(`r${at}`, text))))
      const run = compile(plan).run(evidenceOf(values))
      const { countedStepsMax: countedSteps, uncountedStepsMax: uncountedSteps } = charges
      const uncounted = (run.runs[0]?.recipe.rules ?? []).filter(
        ({ countsSteps: counted }) => !counted,
      )
      const sum = uncounted.reduce((steps, rule) => steps + rule.stepsMax, 0)

      expect(sum).toBeLessThanOrEqual(uncountedSteps)
      expect(countedSteps + uncountedSteps).toBeLessThanOrEqual(4_000_000)
    }),
    { numRuns: draws(60) },
  )
})

describe('a flow such as shops have', () => {
  const rules = [
    'signal.user_agent.matches("(?i)(bot|crawl|spider|curl)")',
    'signal.user_agent.contains("Headless") || signal.user_agent.startsWith("python-")',
    'inCidr(signal.ip, ["10.0.0.0/8", "203.0.113.0/24", "2001:db8::/32"])',
    'emailDomain(target.email_address) in ["mailinator.com", "yopmail.com", "example.com"]',
    'phoneCountry(target.phone_number) != signal.ext.country',
    'double(signal.ext.cart_total) > 250.0 && int(signal.ext.items) > 10',
    `signal.ext.shop in [${Array.from({ length: 300 }, (_, at) => `"s${at}"`)}]`,
    'request.time - timestamp(signal.ext.registered) < duration("1h")',
  ]
  const values = {
    'signal.user_agent':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
    'signal.ip': '2001:db8:85a3:8d3:1319:8a2e:370:7348',
    'target.email_address': 'jane.doe@mail.example.com',
    'target.phone_number': '+33612345678',
    'phoneCountry(target.phone_number)': 'FR',
    'signal.ext.country': 'FR',
    'signal.ext.cart_total': '129.90',
    'signal.ext.items': '3',
    'signal.ext.shop': 's299',
    'signal.ext.registered': '2024-05-01T08:00:00Z',
    'request.time': 1_717_193_730_000,
  }

  test('stays far below its steps with four hundred rules', () => {
    const spent = rules.map((rule) => spentOn(rule, values).spent)
    const four = Array.from({ length: 400 }, (_, at) => rules[at % rules.length] ?? '')
    const plan = planOf(recipeOf(four.map((rule, at) => ruleOf(`r${at}`, rule))))

    const [recipe] = compile(plan).run(evidenceOf(values)).recipes

    const sum = spent.reduce((all, one) => all + one, 0) * 50
    expect(sum).toBeLessThan(charges.countedStepsMax / 2)
    expect(recipe?.partial_evidence).toBe(false)
  })
})
