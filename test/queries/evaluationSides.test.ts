import { getHeapStatistics } from 'node:v8'
import { expect, test } from 'vitest'
import { runAtOnce } from '../../src/domain/load/steps.ts'
import type { Plan, PlannedRecipe, PlannedRule } from '../../src/engine/run/plan.ts'
import { assertComparable } from '../../src/queries/evaluation/difference/evaluationDifference.ts'
import {
  applyDifferences,
  type ComparedEvaluation,
  listInputDifferences,
} from '../../src/queries/evaluation/difference/inputDifferences.ts'
import { findCauses } from '../../src/queries/evaluation/difference/verdictCauses.ts'

const rule = (rule_id: string, change: Partial<PlannedRule> = {}): PlannedRule => ({
  ...{ rule_id, type: 'CUSTOM', name: rule_id, version_id: 'ver_1', weight: 10 },
  expression: { kind: 'literal', type: 'bool', value: true, at: [1, 1] },
  ...change,
})
const recipe = (
  recipe_id: string,
  rules: readonly PlannedRule[],
  change: Partial<PlannedRecipe> = {},
): PlannedRecipe => ({
  ...{ recipe_id, version_id: 'ver_1', status: 'LIVE', threshold: 50, rules },
  ...change,
})
const side = (
  recipes: readonly PlannedRecipe[],
  semantics = 2,
  ip = '192.0.2.1',
): ComparedEvaluation => {
  const plan: Plan = { flow_id: 'flo_1', flow_version_id: 'ver_1', semantics, recipes }
  const evidence = new Map([['signal.ip', { value: ip, source: 'request' } as const]])
  const compiled = { computeAsks: () => [] }
  return { plan, evidence, reads: new Set(['signal.ip']), compiled, verdict: 'PASS' }
}
const [a, b, c, d] = [rule('a'), rule('b'), rule('c'), rule('d')]

test.each<
  [name: string, kinds: readonly string[], sides: readonly [ComparedEvaluation, ComparedEvaluation]]
>([
  ['evidence', ['evidence'], [side([]), side([], 2, '192.0.2.2')]],
  ['semantics', ['semantics'], [side([]), side([], 1)]],
  ['recipe', ['recipe', 'recipe'], [side([recipe('r', [a])]), side([recipe('s', [b])])]],
  [
    'status',
    ['status'],
    [side([recipe('r', [a])]), side([recipe('r', [a], { status: 'SHADOW' })])],
  ],
  ['order', ['order'], [side([recipe('r', [a, b, c])]), side([recipe('r', [c, a, b])])]],
  [
    'rules that come and go',
    ['membership', 'membership', 'membership'],
    [side([recipe('r', [a, b, c])]), side([recipe('r', [d, a, c, rule('e')])])],
  ],
  [
    'all of a rule',
    ['rule_version', 'weight', 'override'],
    [
      side([recipe('r', [a])]),
      side([recipe('r', [rule('a', { weight: 20, version_id: 'ver_2', preempts: 'FLAG' })])]),
    ],
  ],
  [
    'order and membership together',
    ['threshold', 'order', 'membership', 'membership'],
    [side([recipe('r', [a, b, c])]), side([recipe('r', [c, d, a], { threshold: 60 })])],
  ],
])(
  '%s: without a difference it is the first, with all of them the second',
  async (_, kinds, [one, other]) => {
    const differences = runAtOnce(listInputDifferences(one, other))
    const none = runAtOnce(applyDifferences(one, other, []))
    const all = runAtOnce(applyDifferences(one, other, differences))

    expect(differences.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted())
    expect(none).toEqual({ plan: one.plan, evidence: one.evidence })
    expect(all).toEqual({ plan: other.plan, evidence: other.evidence })
  },
)

test('what only three differences do together is one cause, without those that do not matter', async () => {
  const recipes = (weight: number) => [
    recipe('r', [rule('a', { weight }), rule('b', { weight }), rule('c', { weight })], {
      threshold: 60,
    }),
  ]
  const one = side(recipes(10), 1)
  const other = { ...side(recipes(20), 1, '192.0.2.2'), verdict: 'FLAG' as const }

  const { causes, smallest } = runAtOnce(
    findCauses(one, other, runAtOnce(listInputDifferences(one, other))),
  )

  expect(causes.map((cause) => cause.map(({ kind, rule_id }) => `${kind} ${rule_id}`))).toEqual([
    ['weight a', 'weight b', 'weight c'],
  ])
  expect(smallest).toBe(false)
})

test('a plan that takes more than an eighth of the heap is not compared', () => {
  const bytes = getHeapStatistics().heap_size_limit / 8
  const plan = { bytes } as Parameters<typeof assertComparable>[0]

  expect(() => assertComparable(plan)).not.toThrow()
  expect(() => assertComparable({ ...plan, bytes: bytes + 1 })).toThrow(
    expect.objectContaining({ code: 'unavailable' }),
  )
})
