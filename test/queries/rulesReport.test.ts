import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addFolded, createSum } from '../../src/queries/analysis/rulesReport.ts'
import {
  countNone,
  createRow,
  listBits,
  type RulesFolded,
  setBit,
} from '../../src/queries/analysis/scan/foldRules.ts'
import { computeShare } from '../../src/queries/analysis/shares.ts'

/** A slice of one evaluation in which these rules fired, which knows its rules in this order. */
function fired(rules: readonly string[], ruleIds: readonly string[]): RulesFolded {
  const bits = new Uint32Array(Math.ceil(ruleIds.length / 32))
  for (const id of rules) setBit(bits, ruleIds.indexOf(id))
  const rows = ruleIds.map((rule_id) => {
    const row = createRow({ rule_id, type: 'CUSTOM', version_id: 'ver' }, 'LIVE')
    row[rules.includes(rule_id) ? 'fired' : 'not_fired'].unlabelled = 1
    return Object.assign(row, rules.includes(rule_id) && { companions: bits.slice() })
  })
  return { evaluations: { ...countNone(), unlabelled: 1 }, ruleIds, rows }
}

const ids = Array.from({ length: 70 }, (_, at) => `rul_${at}`)
const slices = fc.array(
  fc.tuple(fc.subarray(ids), fc.shuffledSubarray(ids)).map(([some, known]) => ({
    rules: some.filter((id) => known.includes(id)),
    known,
  })),
  { minLength: 1, maxLength: 6 },
)

describe('slices that know the rules in other orders', () => {
  test('leave as companions of a rule those that fired every time it did', () =>
    fc.assert(
      fc.property(slices, (all) => {
        const sum = createSum()
        for (const { rules, known } of all) addFolded(sum, fired(rules, known))

        const found = [...sum.bits.keys()]
        for (const { rule, companions } of sum.rows.values()) {
          const own = all.filter(({ rules }) => rules.includes(rule.rule_id))
          const expected = ids.filter((id) => own.every(({ rules }) => rules.includes(id)))
          const named = companions && listBits(companions).map((bit) => found[bit])
          expect(named?.toSorted()).toEqual(own.length === 0 ? undefined : expected.toSorted())
        }
      }),
    ))

  test('past the limit leave out the rules met last, and say so', () => {
    const sum = createSum()
    addFolded(sum, fired(['rul_0', 'rul_1'], ['rul_0', 'rul_1']), 2)
    expect(sum.truncated).toBe(false)
    addFolded(sum, fired(['rul_1', 'rul_2'], ['rul_2', 'rul_1']), 2)

    expect(sum.truncated).toBe(true)
    expect([...sum.rows.values()].map((row) => [row.rule.rule_id, row.fired.unlabelled])).toEqual([
      ['rul_0', 1],
      ['rul_1', 2],
    ])
    expect(
      [...sum.rows.values()].map((row) => listBits(row.companions ?? new Uint32Array())),
    ).toEqual([[0, 1], [1]])
    expect(sum.evaluations.unlabelled).toBe(2)
  })
})

test('a share of few stays within 0 and 1, is certain of nothing, and is null of none', () => {
  expect(computeShare(0, 0)).toBeNull()
  const [none, all, some] = [computeShare(0, 3), computeShare(3, 3), computeShare(2, 199)]
  expect([none?.low, all?.high]).toEqual([0, 1])
  expect(none?.high).toBeCloseTo(0.5615, 4)
  expect(all?.low).toBeCloseTo(0.4385, 4)
  expect(some?.low).toBeCloseTo(0.00276, 4)
  expect(some?.high).toBeCloseTo(0.03591, 4)
})
