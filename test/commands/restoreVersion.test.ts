import fc from 'fast-check'
import { expect, test } from 'vitest'
import { publishFlow, retireFlow } from '../../src/commands/rulebook/publishFlow.ts'
import { publishRecipe, retireRecipe } from '../../src/commands/rulebook/publishRecipe.ts'
import { publishRule, retireRule } from '../../src/commands/rulebook/publishRule.ts'
import {
  restoreFlow,
  restoreRecipe,
  restoreRule,
} from '../../src/commands/rulebook/restoreVersion.ts'
import { Failure } from '../../src/domain/failure.ts'
import type { Expression } from '../../src/engine/language/expression.ts'
import { emptyManagedRulebook } from '../../src/events/rulebook/managedRulebook.ts'
import {
  type Entry,
  emptyRulebook,
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../src/events/rulebook/rulebook.ts'

type Decide = (state: RulebookState) => readonly RulebookEvent[]
type Kind = 'rules' | 'recipes' | 'flows'

interface Step {
  readonly kind: Kind
  readonly what: 'publish' | 'restore' | 'retire'
  /** Which of its kind. */
  readonly at: number
  /** Which version is restored, or what is published. */
  readonly of: number
}

const managed = emptyManagedRulebook()
const expression: Expression = { kind: 'literal', type: 'bool', value: true, at: [1, 1] }
const step = fc.record<Step>({
  kind: fc.constantFrom('rules', 'recipes', 'flows'),
  what: fc.constantFrom('publish', 'publish', 'restore', 'retire'),
  at: fc.nat(2),
  of: fc.nat(6),
})

/** The ids among three that the number names. */
const chosen = (kind: Kind, of: number) =>
  [0, 1, 2].filter((at) => of & (1 << at)).map((at) => `${kind}_${at}`)

interface Ids {
  readonly id: string
  readonly versionId: string
  /** The version to restore. */
  readonly known: string
  readonly mode: 'create' | 'replace'
}

const decisions: Readonly<
  Record<Kind, Readonly<Record<Step['what'], (ids: Ids, of: number) => Decide>>>
> = {
  rules: {
    publish: ({ id, versionId, mode }, of) =>
      publishRule({ ruleId: id, versionId, mode, name: `${of}`, text: `${of}`, expression }),
    restore: ({ id, known }) => restoreRule(id, known),
    retire: ({ id }) => retireRule(id),
  },
  recipes: {
    publish: ({ id, versionId, mode }, of) => {
      const rules = chosen('rules', of).map((rule_id) => ({ rule_id, weight: 1 }))
      const content = { name: `${of}`, threshold: of, rules, status: 'LIVE' } as const
      return publishRecipe({ recipeId: id, versionId, mode, ...content }, managed)
    },
    restore: ({ id, known }) => restoreRecipe(id, known, managed),
    retire: ({ id }) => retireRecipe(id),
  },
  flows: {
    publish: ({ id, versionId, mode }, of) =>
      publishFlow({
        flowId: id,
        versionId,
        mode,
        name: `${of}`,
        recipes: chosen('recipes', of),
      }),
    restore: ({ id, known }) => restoreFlow(id, known),
    retire: ({ id }) => retireFlow(id),
  },
}

function decisionOf({ kind, what, at, of }: Step, state: RulebookState, count: number): Decide {
  const id = `${kind}_${at}`
  const versions = [...(state[kind].get(id)?.versions.keys() ?? [])]
  const mode = versions.length > 0 ? 'replace' : 'create'
  const ids = {
    id,
    versionId: `ver_${count}`,
    mode,
    known: versions[of % versions.length] ?? 'none',
  } as const
  return decisions[kind][what](ids, of)
}

function eventsOf(decide: Decide, state: RulebookState): readonly RulebookEvent[] {
  try {
    return decide(state)
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}

/** Who names whom, read from what is current. */
function namedBy(
  things: ReadonlyMap<string, Entry<unknown>>,
  referrers: ReadonlyMap<string, Entry<never>>,
  namesOf: (current: never) => readonly string[],
): Map<string, Set<string>> {
  const named = new Map([...things.keys()].map((id) => [id, new Set<string>()]))
  for (const [referrer, { current }] of referrers) {
    for (const id of current === undefined ? [] : namesOf(current)) named.get(id)?.add(referrer)
  }
  return named
}

const referrersIn = (things: ReadonlyMap<string, Entry<unknown>>) =>
  new Map([...things].map(([id, { referrers }]) => [id, referrers]))

test('whatever is published, restored and retired, everything named is there and knows by whom', () =>
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 90 }), (steps) => {
      const state = emptyRulebook()
      const log: RulebookEvent[] = []
      for (const [count, one] of steps.entries()) {
        const events = eventsOf(decisionOf(one, state, count), state)
        for (const event of events) evolveRulebook(state, event)
        log.push(...structuredClone(events))

        const { rules, recipes, flows } = state
        const ofRules = namedBy(
          rules,
          recipes as never,
          (recipe: { rules: { rule_id: string }[] }) => recipe.rules.map(({ rule_id }) => rule_id),
        )
        const ofRecipes = namedBy(
          recipes,
          flows as never,
          (flow: { recipes: string[] }) => flow.recipes,
        )
        expect(referrersIn(rules)).toEqual(ofRules)
        expect(referrersIn(recipes)).toEqual(ofRecipes)
        for (const [id, referrers] of [...ofRules, ...ofRecipes]) {
          const there = (rules.get(id) ?? recipes.get(id))?.current !== undefined
          expect(there || referrers.size === 0).toBe(true)
        }
      }

      expect(log.reduce(evolveRulebook, emptyRulebook())).toEqual(state)
    }),
    { numRuns: 300 },
  ))

test('what is restored is what the version said, under the version’s id', () =>
  fc.assert(
    fc.property(
      fc.array(fc.nat(4), { minLength: 2, maxLength: 6 }),
      fc.nat(5),
      (contents, pick) => {
        const state = emptyRulebook()
        for (const [count, of] of contents.entries()) {
          const decide = decisionOf({ kind: 'rules', what: 'publish', at: 0, of }, state, count)
          for (const event of decide(state)) evolveRulebook(state, event)
        }
        const entry = state.rules.get('rules_0')
        const versions = [...(entry?.versions.values() ?? [])]
        const wanted = versions[pick % versions.length]
        const current = entry?.current

        const events = restoreRule('rules_0', wanted?.version_id ?? '')(state)
        for (const event of events) evolveRulebook(state, event)

        expect(events).toHaveLength(wanted === current ? 0 : 1)
        expect(entry?.current).toEqual(wanted)
        expect(entry?.versions.size).toBe(versions.length)
      },
    ),
  ))
