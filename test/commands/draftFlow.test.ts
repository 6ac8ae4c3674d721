import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type DraftFlow,
  type DraftRecipe,
  draftRulebooks,
} from '../../src/commands/evaluation/draftFlow.ts'
import type { Rulebooks } from '../../src/commands/rulebook/rulebookStreams.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import {
  emptyManagedRulebook,
  evolveManagedRulebook,
} from '../../src/events/rulebook/managedRulebook.ts'
import {
  emptyRulebook,
  evolveRulebook,
  type Membership,
  type RulebookEvent,
} from '../../src/events/rulebook/rulebook.ts'
import { draws } from '../support/draws.ts'
import { after, outcome } from './support/outcome.ts'
import { planFlow } from './support/planFlow.ts'

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
  const managed = after(emptyManagedRulebook(), evolveManagedRulebook, [
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
  return { own: after(emptyRulebook(), evolveRulebook, own), managed }
}

const draftRecipe = (
  rules: DraftRecipe['rules'],
  more: Partial<DraftRecipe> = {},
): DraftRecipe => ({ name: 'drafted', status: 'LIVE', threshold: 40, rules, ...more })
const written = { name: 'written', text: 'true', expression, weight: 5 }

const planned = (draft: DraftFlow, rulebooks = standing()) =>
  planFlow(draftRulebooks(rulebooks, 'flo_1', draft), 'flo_1', 2)
const refused = (draft: DraftFlow, flowId = 'flo_1') =>
  outcome(standing(), (rulebooks) => {
    draftRulebooks(rulebooks, flowId, draft)
    return []
  })

describe('a drafted flow', () => {
  test('runs a recipe that it names by the status that it has', () => {
    expect(planned({ recipes: ['rcp_2'] })?.recipes).toEqual([])
  })

  test('is nothing without a flow', () => {
    expect(refused({ recipes: ['rcp_1'] }, 'flo_none')).toEqual(['not_found'])
  })
})

describe('a draft is refused', () => {
  test.each<[string, DraftFlow, readonly string[]]>([
    [
      'that names no recipe there is, or one twice',
      { recipes: ['rcp_none', 'rcp_1', 'rcp_1'] },
      [
        'draft.recipes.0: There is no recipe with this id.',
        'draft.recipes.2: The flow names this recipe twice.',
      ],
    ],
    [
      'that names no rule there is, or one that is gone',
      {
        recipes: [
          'rcp_1',
          draftRecipe([
            { rule_id: 'rul_none', weight: 1 },
            { rule_id: 'rul_gone', weight: 1 },
          ]),
        ],
      },
      [
        'draft.recipes.1.rules.0.rule_id: There is no rule with this id.',
        'draft.recipes.1.rules.1.rule_id: There is no rule with this id.',
      ],
    ],
    [
      'that pins a version there is not, or a managed rule',
      {
        recipes: [
          draftRecipe([
            { rule_id: 'rul_2', weight: 1, version_id: 'ver_2' },
            { rule_id: 'rul_m', weight: 1, version_id: 'ver_m' },
          ]),
        ],
      },
      [
        'draft.recipes.0.rules.0.version_id: The rule has no such version.',
        'draft.recipes.0.rules.1.version_id: A managed rule cannot be pinned.',
      ],
    ],
    [
      'whose recipe extends what is not there',
      { recipes: [draftRecipe([written], { base_recipe_id: 'rcp_m' })] },
      ['draft.recipes.0.base_recipe_id: There is no managed recipe with this id.'],
    ],
    [
      'whose recipe has parameters and extends nothing',
      { recipes: [draftRecipe([], { parameters: { limit: '1' } })] },
      ['draft.recipes.0.parameters: Only a recipe with base_recipe_id has parameters.'],
    ],
    [
      'with everything that is wrong with each of its recipes',
      {
        recipes: [
          draftRecipe([{ rule_id: 'rul_none', weight: 1 }]),
          draftRecipe([{ rule_id: 'rul_other', weight: 1 }]),
        ],
      },
      [
        'draft.recipes.0.rules.0.rule_id: There is no rule with this id.',
        'draft.recipes.1.rules.0.rule_id: There is no rule with this id.',
      ],
    ],
  ])('%s', (_, draft, details) => {
    expect(refused(draft)).toEqual(['invalid_request', ...details])
  })
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
        draftRulebooks(given, 'flo_1', { recipes })
        return []
      })

      expect(rulebooks).toEqual(standing())
    }),
    { numRuns: draws(200) },
  )
})
