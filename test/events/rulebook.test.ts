import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Expression } from '../../src/engine/language/expression.ts'
import {
  pickFlowContent,
  pickManagedRecipeContent,
  pickManagedRuleContent,
  pickRecipeContent,
  pickRuleContent,
} from '../../src/events/rulebook/authoredContent.ts'
import {
  createManagedRulebook,
  evolveManagedRulebook,
  type ManagedRulebookEvent,
} from '../../src/events/rulebook/managedRulebook.ts'
import {
  createRulebook,
  evolveRulebook,
  parseRuleVersion,
  type RecipeStatus,
  type RulebookEntry,
  type RulebookEvent,
  type RuleEntry,
} from '../../src/events/rulebook/rulebook.ts'
import { draws } from '../support/draws.ts'
import { samples } from './samples.ts'

const literal = (value: boolean): Expression => ({
  kind: 'literal',
  type: 'bool',
  value,
  at: [1, 1],
})

// any events of three rules, recipes and flows, also such as no decision would ever give

const versionId = fc.constantFrom('v1', 'v2', 'v3')
const ruleId = fc.constantFrom('rul_1', 'rul_2', 'rul_3')
const recipeId = fc.constantFrom('rcp_1', 'rcp_2', 'rcp_3')
const flowId = fc.constantFrom('flo_1', 'flo_2', 'flo_3')
const status = fc.constantFrom<RecipeStatus[]>('DRAFT', 'SHADOW', 'LIVE', 'INACTIVE')
const name = fc.constantFrom('a', 'b')

const ruleEvent = fc.oneof(
  fc
    .tuple(fc.constantFrom('RulePublished', 'RuleRestored'), ruleId, versionId, name)
    .map(([type, rule_id, version_id, text]) => ({
      type,
      data: { rule_id, version_id, name: text, text, expression: literal(text === 'a') },
    })),
  ruleId.map((rule_id) => ({ type: 'RuleRetired', data: { rule_id } })),
)
const recipeEvent = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('RecipePublished', 'RecipeRestored'),
      recipeId,
      versionId,
      status,
      fc.uniqueArray(ruleId),
    )
    .map(([type, recipe_id, version_id, is, rules]) => ({
      type,
      data: {
        recipe_id,
        version_id,
        status: is,
        name: 'n',
        threshold: 1,
        rules: rules.map((rule_id) => ({ rule_id, weight: 1 })),
      },
    })),
  fc
    .tuple(recipeId, status)
    .map(([recipe_id, is]) => ({ type: 'RecipeStatusSet', data: { recipe_id, status: is } })),
  recipeId.map((recipe_id) => ({ type: 'RecipeRetired', data: { recipe_id } })),
)
const flowEvent = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('FlowPublished', 'FlowRestored'),
      flowId,
      versionId,
      fc.uniqueArray(recipeId),
    )
    .map(([type, flow_id, version_id, recipes]) => ({
      type,
      data: { flow_id, version_id, name: 'n', recipes },
    })),
  flowId.map((flow_id) => ({ type: 'FlowRetired', data: { flow_id } })),
)
const events = fc
  .array(fc.oneof(ruleEvent, recipeEvent, flowEvent), { maxLength: 60 })
  .map((all) => all as RulebookEvent[])

/** What one thing is, by looking at its own events alone: the slow and plain way. */
function plainly(all: readonly RulebookEvent[], field: string, id: string) {
  const own = all.filter(({ data }) => (data as Record<string, unknown>)[field] === id)
  let current: string | undefined
  let is: unknown = 'DRAFT'
  for (const { type, data } of own) {
    if ('status' in data) is = data.status
    if ('version_id' in data) current = data.version_id
    if (type.endsWith('Retired')) current = undefined
  }
  const held = current === undefined ? [] : [current]
  return { current, held, status: is, known: own.some(({ data }) => 'version_id' in data) }
}

/** The versions of a rule; undefined for a recipe or flow, which holds the current one alone. */
const versionsIn = (entry: RulebookEntry<unknown> | RuleEntry | undefined) =>
  entry && 'versions' in entry ? [...entry.versions.keys()] : undefined

describe('the fold of a rulebook', () => {
  const kinds = [
    { kind: 'rules', field: 'rule_id', ids: ['rul_1', 'rul_2', 'rul_3'] },
    { kind: 'recipes', field: 'recipe_id', ids: ['rcp_1', 'rcp_2', 'rcp_3'] },
    { kind: 'flows', field: 'flow_id', ids: ['flo_1', 'flo_2', 'flo_3'] },
  ] as const

  test.each(kinds)('has of all $kind what their own events say', ({ kind, field, ids }) => {
    fc.assert(
      fc.property(events, (all) => {
        const state = all.reduce(evolveRulebook, createRulebook())

        for (const id of ids) {
          const expected = plainly(all, field, id)
          const entry = state[kind].get(id)
          expect(entry?.current?.version_id).toBe(expected.current)
          expect(versionsIn(entry) ?? expected.held).toEqual(expected.held)
          if (entry && 'status' in entry) expect(entry.status).toBe(expected.status)
        }
      }),
      { numRuns: draws(200) },
    )
  })

  test('counts every event, so that whoever keeps what it made can tell that it is old', () =>
    fc.assert(
      fc.property(events, (all) => {
        expect(all.reduce(evolveRulebook, createRulebook()).generation).toBe(all.length)
      }),
    ))

  test('keeps an expression as it was, as text', () => {
    const data = samples.RulePublished
    const state = evolveRulebook(createRulebook(), { type: 'RulePublished', data })

    const current = state.rules.get(data.rule_id)?.current
    expect(typeof current?.expression).toBe('string')
    expect(current && pickRuleContent(parseRuleVersion(current))).toEqual(pickRuleContent(data))
  })
})

describe('the fold of the managed rulebook', () => {
  const origin = fc.record({ version_id: versionId, shipped: fc.constantFrom(1, 2) })
  const managedEvent = fc
    .oneof(
      fc.tuple(ruleId, origin).map(([rule_id, more]) => ({
        type: 'ManagedRulePublished',
        data: { ...pickManagedRuleContent(samples.ManagedRulePublished), rule_id, ...more },
      })),
      fc.tuple(ruleId, versionId).map(([rule_id, version_id]) => ({
        type: 'ManagedRuleRestored',
        data: { ...pickManagedRuleContent(samples.ManagedRulePublished), rule_id, version_id },
      })),
      ruleId.map((rule_id) => ({ type: 'ManagedRuleRetired', data: { rule_id } })),
      fc.tuple(recipeId, origin).map(([recipe_id, more]) => ({
        type: 'ManagedRecipePublished',
        data: { ...pickManagedRecipeContent(samples.ManagedRecipePublished), recipe_id, ...more },
      })),
      recipeId.map((recipe_id) => ({ type: 'ManagedRecipeRetired', data: { recipe_id } })),
      fc
        .constantFrom(1, 2, 3)
        .map((version) => ({ type: 'ManagedSetInstalled', data: { version } })),
    )
    .map((event) => event as ManagedRulebookEvent)

  interface Version {
    readonly version_id: string
    readonly shipped?: number
  }

  /** The version in force, by looking at the thing's own events alone. */
  function standing(
    all: readonly ManagedRulebookEvent[],
    field: string,
    id: string,
  ): Version | undefined {
    const own = all.filter(({ data }) => (data as Record<string, unknown>)[field] === id)
    const last = own.at(-1)
    return last && 'version_id' in last.data ? last.data : undefined
  }

  const managedKinds = [
    { kind: 'rules', field: 'rule_id', ids: ['rul_1', 'rul_2', 'rul_3'] },
    { kind: 'recipes', field: 'recipe_id', ids: ['rcp_1', 'rcp_2', 'rcp_3'] },
  ] as const

  test.each(managedKinds)('has those $kind in force that were not retired since', (one) => {
    fc.assert(
      fc.property(fc.array(managedEvent, { maxLength: 40 }), (all) => {
        const state = all.reduce(evolveManagedRulebook, createManagedRulebook())

        for (const id of one.ids) {
          const expected = standing(all, one.field, id)
          const found = state[one.kind].get(id)?.current as Version | undefined
          expect(found?.version_id).toBe(expected?.version_id)
          // what is restored is the operator's, whoever made it
          expect(found?.shipped).toBe(expected?.shipped)
        }
      }),
      { numRuns: draws(200) },
    )
  })

  test('knows the set that was installed last, and counts every event', () =>
    fc.assert(
      fc.property(fc.array(managedEvent, { maxLength: 40 }), (all) => {
        const state = all.reduce(evolveManagedRulebook, createManagedRulebook())

        const sets = all.flatMap((event) =>
          event.type === 'ManagedSetInstalled' ? [event.data.version] : [],
        )
        expect(state.setVersion).toBe(sets.at(-1) ?? 0)
        expect(state.generation).toBe(all.length)
      }),
    ))
})

describe('contents', () => {
  const ids = { rule_id: 'x', recipe_id: 'x', flow_id: 'x', version_id: 'x', status: 'LIVE' }
  const extra = { ...ids, managed: ['x'], shipped: 1, anything: true }

  test.each([
    ['rule', pickRuleContent, samples.RulePublished],
    ['recipe', pickRecipeContent, samples.RecipePublished],
    ['flow', pickFlowContent, samples.FlowPublished],
    ['managed rule', pickManagedRuleContent, samples.ManagedRulePublished],
    ['managed recipe', pickManagedRecipeContent, samples.ManagedRecipePublished],
  ] as readonly [string, (from: never) => object, object][])(
    'of a %s are what was written, in one order, and nothing that was not',
    (_, contentOf, sample) => {
      const content = contentOf(sample as never)
      const mixed = Object.fromEntries(Object.entries({ ...sample, ...extra }).reverse())

      expect(Object.keys(content).filter((field) => field in extra)).toEqual([])
      expect(JSON.stringify(contentOf(mixed as never))).toBe(JSON.stringify(content))
      expect(Object.values(content)).not.toContain(undefined)
    },
  )

  test('leave out what is not there', () => {
    const {
      base_recipe_id: _,
      parameters: __,
      ...plain
    } = pickRecipeContent(samples.RecipePublished)

    expect(Object.keys(pickRecipeContent(plain))).toEqual(['name', 'threshold', 'rules'])
  })
})
