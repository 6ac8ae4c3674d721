import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unparse } from '../../src/engine/language/unparse.ts'
import type { Plan } from '../../src/engine/run/plan.ts'
import type { ManagedRulebookEvent } from '../../src/events/rulebook/managedRulebook.ts'
import type { RulebookEvent } from '../../src/events/rulebook/rulebook.ts'
import { computePlanFingerprint } from '../../src/state/rulebook/outlineFlow.ts'
import { draws } from '../support/draws.ts'
import { planFlow } from './support/planFlow.ts'
import { type History, historyStep, newHistory, settledStart } from './support/rulebookHistory.ts'

type AnyEvent = RulebookEvent | ManagedRulebookEvent
type Named<Name extends string> = Extract<AnyEvent, { data: Record<Name, unknown> }>['data']

/** What the history says last of one thing: read backwards through all of it, nothing folded. */
function lastOf<Name extends string>(events: readonly AnyEvent[], name: Name, id: string) {
  const about = events.filter(({ data }) => (data as Record<string, unknown>)[name] === id)
  const said = about.filter(({ type }) => /Published|Restored/.test(type))
  const ended = about.findLast(({ type }) => /Published|Restored|Retired/.test(type))
  const status = about.findLast(({ data }) => 'status' in data)
  return {
    all: said.map(({ data }) => data as Named<Name>),
    last: said.at(-1)?.data as Named<Name> | undefined,
    retired: ended === undefined || ended.type.endsWith('Retired'),
    status: status && 'status' in status.data ? status.data.status : undefined,
  }
}

type Content = Extract<RulebookEvent, { type: 'RecipePublished' }>['data']
type ManagedRule = Extract<ManagedRulebookEvent, { type: 'ManagedRulePublished' }>['data']
type ManagedRecipe = Extract<ManagedRulebookEvent, { type: 'ManagedRecipePublished' }>['data']
type Rule = Extract<RulebookEvent, { type: 'RulePublished' }>['data']
type Flow = Extract<RulebookEvent, { type: 'FlowPublished' }>['data']

/** One line for each rule that runs: what it is, what it weighs and what it says, parameters filled in. */
function expectedLines(events: readonly AnyEvent[], flowId: string): readonly string[] | undefined {
  const flow = lastOf(events, 'flow_id', flowId)
  if (!flow.last || flow.retired) return undefined
  const { recipes, version_id } = flow.last as Flow
  return [
    `flow ${version_id}`,
    ...recipes.flatMap((id) => {
      const recipe = lastOf(events, 'recipe_id', id)
      if (recipe.retired || (recipe.status !== 'LIVE' && recipe.status !== 'SHADOW')) return []
      const content = recipe.last as Content
      const head = `recipe ${id} ${content.version_id} ${recipe.status} ${content.threshold}`
      return [head, ...ruleLines(events, content)]
    }),
  ]
}

function ruleLines(events: readonly AnyEvent[], content: Content): readonly string[] {
  const base = content.base_recipe_id
    ? lastOf(events, 'recipe_id', content.base_recipe_id)
    : undefined
  const baseContent = base?.last as ManagedRecipe | undefined
  const declared = base?.retired ? [] : (baseContent?.parameters ?? [])
  const limit =
    declared.length > 0 ? (content.parameters?.['limit'] ?? declared[0]?.default_value) : undefined
  const managedLine = (id: string, placed: string, gone: boolean): string => {
    const rule = lastOf(events, 'rule_id', id)
    const last = rule.last as ManagedRule
    const reads = last.text.includes('param.limit')
    const runs = !gone && !rule.retired && !(reads && limit === undefined)
    const text = last.text.replace('param.limit', String(limit))
    return `MANAGED ${id} ${last.version_id} ${placed} ${runs ? text : 'unavailable'}`
  }
  const fromBase = (baseContent?.rules ?? []).map(({ rule_id, weight }) =>
    managedLine(rule_id, `${weight}`, base?.retired === true),
  )
  const there = new Set((baseContent?.rules ?? []).map(({ rule_id }) => rule_id))
  const own = content.rules
    .filter(({ rule_id }) => !there.has(rule_id))
    .map(({ rule_id, weight, preempts, version_id }) => {
      const placed = preempts ? `${weight} ${preempts}` : `${weight}`
      if (rule_id.startsWith('managed')) return managedLine(rule_id, placed, false)
      const { all } = lastOf(events, 'rule_id', rule_id)
      const versions = all as readonly Rule[]
      const runs = versions.findLast((v) => version_id === undefined || v.version_id === version_id)
      return `CUSTOM ${rule_id} ${runs?.version_id} ${placed} ${runs?.text}`
    })
  return [...fromBase, ...own]
}

function linesOf(plan: Plan | undefined): readonly string[] | undefined {
  return (
    plan && [
      `flow ${plan.flow_version_id}`,
      ...plan.recipes.flatMap(({ recipe_id, version_id, status, threshold, rules }) => [
        `recipe ${recipe_id} ${version_id} ${status} ${threshold}`,
        ...rules.map(({ rule_id, type, version_id: version, weight, preempts, expression }) => {
          const text = expression ? unparse(expression) : 'unavailable'
          return `${type} ${rule_id} ${version} ${weight}${preempts ? ` ${preempts}` : ''} ${text}`
        }),
      ]),
    ]
  )
}

const flows = ['flow_0', 'flow_1']

function begun(): History {
  const history = newHistory()
  for (const step of settledStart) history.take(step)
  return history
}

test('the start of these histories is a flow with a recipe that extends and one that does not', () => {
  const { own, managed, events } = begun()

  expect(linesOf(planFlow({ own, managed }, 'flow_0', 2))).toEqual(expectedLines(events, 'flow_0'))
  expect(events).toHaveLength(settledStart.length)
})

describe('whatever becomes of both rulebooks', () => {
  const steps = fc.array(historyStep, { maxLength: 40 })

  test('a flow runs what its history says last of everything in it', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const history = begun()
        for (const step of taken) {
          if (!history.take(step)) continue
          for (const flow of flows) {
            const plan = planFlow(history, flow, 2)

            expect(linesOf(plan)).toEqual(expectedLines(history.events, flow))
          }
        }
      }),
      { numRuns: draws(60) },
    )
  })

  test('the same fingerprint means the same plan', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const history = begun()
        const seen = new Map<string, string>()
        for (const step of taken) {
          history.take(step)
          for (const flow of flows) {
            const plan = JSON.stringify(planFlow(history, flow, 2))
            const fingerprint = `${flow} ${computePlanFingerprint(history, flow)}`

            expect(seen.get(fingerprint) ?? plan).toBe(plan)
            seen.set(fingerprint, plan)
          }
        }
      }),
      { numRuns: draws(150) },
    )
  })
})
