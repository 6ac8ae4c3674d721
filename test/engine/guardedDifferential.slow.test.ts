import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Expression, listChildren } from '../../src/engine/language/expression.ts'
import { findUnreachableNodes } from '../../src/engine/language/presenceConditions.ts'
import { arbitraryGuardedRule, partialEvidence } from './support/arbitraryGuardedRule.ts'
import { celOutcome } from './support/celOutcome.ts'
import { expressionOf, outcomeOf, problemsOf, type Values } from './support/evaluate.ts'
import {
  conditionsMax,
  conditionsOf,
  reached,
  referenceOutcome,
} from './support/referenceEngine.ts'

/** Rules that compile and whose every way can be gone. */
const rules = arbitraryGuardedRule.filter(
  (text) =>
    problemsOf(text).length === 0 && conditionsOf(expressionOf(text)).length <= conditionsMax,
)

test('a rule gives what going every way of it gives', () => {
  fc.assert(
    fc.property(rules, partialEvidence, (text, values) => {
      expect(outcomeOf(text, values)).toBe(referenceOutcome(expressionOf(text), values))
    }),
    { numRuns: 2000 },
  )
})

test('a rule that is true or false is so for CEL too', () => {
  fc.assert(
    fc.property(rules, partialEvidence, (text, values) => {
      // what `emailDomain` gives, and that an empty text did not arrive, CEL does not know
      fc.pre(!text.includes('emailDomain'))
      const outcome = outcomeOf(text, values)
      fc.pre(outcome === 'true' || outcome === 'false')

      expect(celOutcome(text, withoutEmpty(values))).toBe(outcome)
    }),
    { numRuns: 1000 },
  )
})

test('what is not reached is what no way through the rule comes to', () => {
  let cut = 0
  fc.assert(
    fc.property(rules, partialEvidence, (text, values) => {
      const expression = expressionOf(text)
      const unreached = findUnreachableNodes(
        expression,
        (name) => values[name] !== undefined && values[name] !== '',
      )
      const namesIn = (node: Expression): readonly Expression[] =>
        unreached.has(node)
          ? []
          : node.kind === 'read' || node.kind === 'has'
            ? [node]
            : listChildren(node).flatMap(namesIn)
      cut += unreached.size

      expect(namesIn(expression)).toEqual(reached(expression, values))
    }),
    { numRuns: 2000 },
  )
  expect(cut).toBeGreaterThan(500)
})

function withoutEmpty(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}
