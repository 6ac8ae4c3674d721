import { describe, expect, test } from 'vitest'
import { encodeEvidence } from '../../src/events/evaluation/evidenceRecord.ts'
import { answerCalls, answerNewCalls } from '../../src/state/evaluation/gatherEvidence.ts'
import {
  compile,
  evidenceOf,
  expressionOf,
  onlyRule,
  outcomeOf,
  planOf,
  problemsOf,
  recipeOf,
  ruleOf,
  type Values,
} from './support/evaluate.ts'

const country = 'phoneCountry(target.phone_number)'
const lists = new Map([['countries', 'text' as const]])

const ask = (text: string, values: Values) =>
  answerCalls(
    { evidence: evidenceOf(values), notCounted: [], unanswered: new Map() },
    onlyRule(expressionOf(text, { lists })),
  )

describe('the country of a number is evidence', () => {
  test('and a plan that asks nothing takes the evidence as it is', () => {
    const values = { 'signal.ext.n': '1' }
    const gathered = { evidence: evidenceOf(values), notCounted: [], unanswered: new Map() }

    const asked = answerCalls(gathered, onlyRule(expressionOf('signal.ext.n == "1"')))

    expect(asked.evidence).toBe(gathered.evidence)
    expect(asked.lookups).toEqual([])
  })

  test('under the text of the call, whatever its argument', () => {
    const text = `${country} == "FR" || phoneCountry("+" + signal.ext.code + signal.ext.rest) == "GB"`
    const values = {
      'target.phone_number': '+33612345678',
      'signal.ext.code': '44',
      'signal.ext.rest': '2079460000',
    }

    const { evidence, unanswered } = ask(text, values)

    expect(evidence.get(country)).toEqual({ value: 'FR', source: 'call' })
    expect(evidence.get('phoneCountry("+" + signal.ext.code + signal.ext.rest)')?.value).toBe('GB')
    expect(unanswered.size).toBe(0)
  })

  test.each([
    ['+80012345678', 'not_known'],
    ['nobody', 'not_readable'],
  ])('or the reason why there is none is recorded: %s', (number, reason) => {
    const text = 'phoneCountry(signal.ext.number) == "FR"'

    const { evidence, unanswered } = ask(text, { 'signal.ext.number': number })

    expect([...unanswered.values()]).toEqual([reason])
    expect(encodeEvidence(evidence, new Set(), unanswered)).toEqual({
      arrived: { ext: ['number'], unanswered: [[text.slice(0, -8), reason]] },
      values: [number],
    })
    expect(outcomeOf(text, { 'signal.ext.number': number })).toBe('missing signal.ext.number')
  })

  test('that a list can be asked for', () => {
    const { lookups } = ask(`inList("countries", ${country})`, {
      'target.phone_number': '+33612345678',
    })

    expect(lookups).toEqual([
      { name: `inList("countries", ${country})`, list: 'countries', value: 'FR' },
    ])
  })

  test('which the rule takes from there, and from no library', () => {
    const plan = onlyRule(`${country} == "AQ"`)
    const given = { 'target.phone_number': '+33612345678', [country]: 'AQ' }

    expect(plan.computeAsks(evidenceOf(given))).toEqual([])
    expect(plan.run(evidenceOf(given)).recipes[0]?.rules[0]?.outcome).toBe('TRIGGERED')
    const { [country]: _, ...without } = given
    expect(plan.run(evidenceOf(without)).recipes[0]?.rules[0]?.outcome).toBe('NOT_EVALUATED')
  })

  test('and not asked again where a record had no answer', () => {
    const evidence = evidenceOf({ 'target.phone_number': '+33612345678' })
    const plan = compile(
      planOf(
        recipeOf([ruleOf('a', `${country} == "FR" && phoneCountry("+442079460000") == "GB"`)]),
      ),
    )

    const { evidence: answered } = answerNewCalls(evidence, new Set([country]), plan)

    expect([...answered.keys()]).toEqual(['target.phone_number', 'phoneCountry("+442079460000")'])
  })
})

describe('a rule asks at most', () => {
  const asking = (count: number) =>
    Array.from({ length: count }, (_, at) => `phoneCountry(signal.ext.n${at}) == "FR"`)

  test('twenty countries', () => {
    expect(problemsOf(asking(20).join(' || '))).toEqual([])
    expect(problemsOf(asking(21).join(' || '))).toEqual([
      expect.stringContaining('a rule asks 20 countries at most'),
    ])
  })

  test('a hundred with all others of its flow: rules beyond are unavailable', () => {
    const rules = asking(101).map((text, at) => ruleOf(`r${at}`, text))
    const [recipe] = compile(planOf(recipeOf(rules))).run(evidenceOf({})).recipes

    const unavailable = recipe?.rules.flatMap((rule, at) => (rule.unavailable ? [at] : []))
    expect(unavailable).toEqual([100])
  })

  test.each([
    'phoneCountry(has(signal.ext.a) ? signal.ext.a : signal.ext.b) == "FR"',
    '["+33612345678"].exists(n, phoneCountry(n) == "FR")',
    'phoneCountry(signal.ext.a + signal.ext.b + "1" + "2" + "3" + "4") == "FR"',
  ])('for what is cheap to compute, and one value throughout the rule: %s', (text) => {
    expect(problemsOf(text)).toEqual([
      expect.stringContaining('the argument of phoneCountry must be a name'),
    ])
  })
})
