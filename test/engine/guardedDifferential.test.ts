import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { semanticsVersions } from '../../src/engine/language/semantics.ts'
import { arbitraryGuardedRule, partialEvidence } from './support/arbitraryGuardedRule.ts'
import { celOutcome } from './support/celOutcome.ts'
import {
  evidenceOf,
  expressionOf,
  onlyRule,
  outcomeOf,
  problemsOf,
  type Values,
} from './support/evaluate.ts'
import { conditionsMax, conditionsOf, referenceOutcome } from './support/referenceEngine.ts'

/** Rules that compile and whose every way can be gone. */
const rules = arbitraryGuardedRule.filter(
  (text) =>
    problemsOf(text).length === 0 && conditionsOf(expressionOf(text)).length <= conditionsMax,
)

describe.each(semanticsVersions)(
  'under version $version of the meaning of rules',
  ({ version }) => {
    test('a rule gives what going every way of it gives', () => {
      fc.assert(
        fc.property(rules, partialEvidence, (text, values) => {
          const reference = referenceOutcome(expressionOf(text), values, version)

          expect(outcomeOf(text, values, version)).toBe(reference)
        }),
        { numRuns: 2000 },
      )
    })

    test('a rule that is true or false is so for CEL too', () => {
      fc.assert(
        fc.property(rules, partialEvidence, (text, values) => {
          // what `emailDomain` gives, and that an empty text did not arrive, CEL does not know
          fc.pre(!text.includes('emailDomain'))
          const outcome = outcomeOf(text, values, version)
          fc.pre(outcome === 'true' || outcome === 'false')

          expect(celOutcome(text, withoutEmpty(values))).toBe(outcome)
        }),
        { numRuns: 1000 },
      )
    })
  },
)

test('what is true or false before guards counted is so still', () => {
  fc.assert(
    fc.property(rules, partialEvidence, (text, values) => {
      const before = outcomeOf(text, values, 1)
      fc.pre(before === 'true' || before === 'false')

      expect(outcomeOf(text, values, 2)).toBe(before)
    }),
    { numRuns: 1000 },
  )
})

test('a rule without `has` gives what it gave before guards counted, unless it failed without a name', () => {
  fc.assert(
    fc.property(rules, partialEvidence, (text, values) => {
      const unguarded = text.replaceAll(/has\([^)]*\)/g, 'signal.existing_user')
      fc.pre(problemsOf(unguarded).length === 0)
      const before = outcomeOf(unguarded, values, 1)
      fc.pre(before !== 'unavailable')

      expect(outcomeOf(unguarded, values, 2)).toBe(before)
    }),
    { numRuns: 1000 },
  )
})

test('the same rule runs right after evidence of any other shape', () => {
  fc.assert(
    fc.property(rules, fc.array(partialEvidence, { minLength: 2, maxLength: 5 }), (text, all) => {
      const compiled = onlyRule(text)
      const outcomes = all.map((values) => compiled.run(evidenceOf(values)).recipes)

      expect(outcomes).toEqual(all.map((values) => onlyRule(text).run(evidenceOf(values)).recipes))
    }),
    { numRuns: 500 },
  )
})

function withoutEmpty(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}
