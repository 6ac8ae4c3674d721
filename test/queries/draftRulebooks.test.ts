import fc from 'fast-check'
import { expect, test } from 'vitest'
import { notFound } from '../../src/domain/failure.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import {
  createManagedRulebook,
  evolveManagedRulebook,
} from '../../src/events/rulebook/managedRulebook.ts'
import {
  createRulebook,
  evolveRulebook,
  type Membership,
  type RulebookEvent,
} from '../../src/events/rulebook/rulebook.ts'
import {
  buildDraftRulebooks,
  type DraftFlow,
  type DraftRecipe,
} from '../../src/queries/evaluation/draftFlow.ts'
import type { Rulebooks } from '../../src/state/rulebook/rulebookStreams.ts'
import { after, outcome } from '../commands/support/outcome.ts'
import { planFlow } from '../commands/support/planFlow.ts'
import { draws } from '../support/draws.ts'

const expression: Expression = { kind: 'literal', type: 'bool', value: true, at: [1, 1] }
const rule = (rule_id: string, version_id = 'ver_1'): RulebookEvent => ({
  type: 'RulePublished',
  data: { rule_id, version_id, name: `${rule_id} ${version_id}`, text: 'true', expression },
})
const recipe = (
  recipe_id: string,
  rules: readonly Membership[],
  status: 'LIVE' | 'SHADOW' | 'DRAFT' = 'LIVE',
): RulebookEvent => ({
  type: 'RecipePublished',
  data: { recipe_id, version_id: 'ver_1', status, name: recipe_id, threshold: 50, rules },
})

function standing(): Rulebooks {
  const own: RulebookEvent[] = [
    rule('rul_1'),
    rule('rul_1', 'ver_2'),
    rule('rul_2'),
    rule('rul_gone'),
    recipe('rcp_1', [{ rule_id: 'rul_1', weight: 10 }]),
    recipe('rcp_2', [{ rule_id: 'rul_2', weight: 20 }], 'DRAFT'),
    {
      type: 'FlowPublished',
      data: { flow_id: 'flo_1', version_id: 'ver_1', name: 'f', recipes: ['rcp_1'] },
    },
    { type: 'RuleRetired', data: { rule_id: 'rul_gone' } },
  ]
  const managed = after(createManagedRulebook(), evolveManagedRulebook, [
    {
      type: 'ManagedRulePublished',
      data: {
        rule_id: 'rul_m',
        version_id: 'ver_m',
        name: 'm',
        description: 'd',
        text: 'true',
        expression,
        parameters: [],
      },
    },
  ])
  return { own: after(createRulebook(), evolveRulebook, own), managed }
}

const draftRecipe = (
  rules: DraftRecipe['rules'],
  more: Partial<DraftRecipe> = {},
): DraftRecipe => ({ name: 'drafted', status: 'LIVE', threshold: 40, rules, ...more })
const written = { name: 'written', text: 'true', expression, weight: 5 }

test('a drafted flow runs a recipe that it names by the status that it has', () => {
  const rulebooks = buildDraftRulebooks(standing(), 'flo_1', { recipes: ['rcp_2'] })

  expect(planFlow(rulebooks, 'flo_1', 2)?.recipes).toEqual([])
  expect(() => buildDraftRulebooks(standing(), 'flo_none', { recipes: [] })).toThrow(notFound())
})

test.each<[string, DraftFlow, readonly string[]]>([
  [
    'of the flow',
    { recipes: ['rcp_none', draftRecipe([]), 'rcp_1', 'rcp_1'] },
    [
      'draft.recipes.0: There is no recipe with this id.',
      'draft.recipes.3: The flow names this recipe twice.',
    ],
  ],
  [
    'of each of its recipes',
    {
      recipes: [
        'rcp_1',
        draftRecipe([
          { rule_id: 'rul_gone', weight: 1 },
          { rule_id: 'rul_m', weight: 1, version_id: 'ver_m' },
        ]),
        draftRecipe([{ rule_id: 'rul_2', weight: 1, version_id: 'ver_2' }]),
        draftRecipe([written], { parameters: { limit: '1' } }),
      ],
    },
    [
      'draft.recipes.1.rules.0.rule_id: There is no rule with this id.',
      'draft.recipes.1.rules.1.version_id: A managed rule cannot be pinned.',
      'draft.recipes.2.rules.0.version_id: The rule has no such version.',
      'draft.recipes.3.parameters: Only a recipe with base_recipe_id has parameters.',
    ],
  ],
])('a draft is refused with everything that is wrong %s', (_, draft, details) => {
  const refused = outcome(standing(), (rulebooks) => {
    buildDraftRulebooks(rulebooks, 'flo_1', draft)
    return []
  })

  expect(refused).toEqual(['invalid_request', ...details])
})

test('whatever is drafted, what stands stays as it is', () => {
  const member = fc.oneof(
    fc.constantFrom('rul_1', 'rul_2', 'rul_gone', 'rul_m', 'rul_none').map((rule_id) => ({
      rule_id,
      weight: 1,
    })),
    fc.constant(written),
  )
  const drafted = fc.oneof(
    fc.constantFrom('rcp_1', 'rcp_2', 'rcp_none'),
    fc.array(member, { maxLength: 4 }).map((rules) => draftRecipe(rules)),
  )
  fc.assert(
    fc.property(fc.array(drafted, { minLength: 1, maxLength: 4 }), (recipes) => {
      const rulebooks = standing()

      outcome(rulebooks, (given) => {
        buildDraftRulebooks(given, 'flo_1', { recipes })
        return []
      })

      expect(rulebooks).toEqual(standing())
    }),
    { numRuns: draws(200) },
  )
})
