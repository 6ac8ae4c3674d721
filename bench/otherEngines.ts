/** The same rules in other engines, each used as its documentation says and fed in the way that suits it best. */

import { celEnv, parse, plan } from '@bufbuild/cel'
import { ZenEngine } from '@gorules/zen-engine'
import { parse as parseCel } from '@marcbachmann/cel-js'
import { Engine } from 'json-rules-engine'
import type { Plan, PlannedRecipe } from '../src/engine/run/plan.ts'
import type { RecipeResult, RuleResult } from '../src/engine/run/result.ts'
import { parseDoubleText, parseIntText } from './built.ts'
import { type Condition, readsOf } from './conditions.ts'
import { celText, jsonCondition, zenText } from './notations.ts'
import type { Person } from './people.ts'

export interface OtherEngine {
  readonly name: string
  /** The recipe's result for the facts that `factsOf` made. */
  readonly run: (facts: never) => RecipeResult | Promise<RecipeResult>
  /** A person as the engine takes one; made before the time is taken. */
  readonly factsOf: (person: Person) => unknown
}

/** The engines, each with the rules compiled once. */
export function otherEngines(conditions: readonly Condition[], made: Plan): readonly OtherEngine[] {
  const [recipe] = made.recipes
  if (!recipe) throw new Error('a plan without a recipe')
  return [
    celJs(conditions, recipe),
    bufbuildCel(conditions, recipe),
    zenEngine(conditions, recipe),
    jsonRulesEngine(conditions, recipe),
  ]
}

function nested({ phone_number, email_address, existing_user, ext }: Person) {
  return { target: { phone_number, email_address }, signal: { existing_user, ext } }
}

function celJs(conditions: readonly Condition[], recipe: PlannedRecipe): OtherEngine {
  const programs = conditions.map((condition) => parseCel(celText(condition)))
  return {
    name: '@marcbachmann/cel-js',
    factsOf: nested,
    run: (facts: Record<string, unknown>) =>
      resultOf(recipe, (index) => programs[index]?.(facts) === true),
  }
}

function bufbuildCel(conditions: readonly Condition[], recipe: PlannedRecipe): OtherEngine {
  const env = celEnv()
  const programs = conditions.map((condition) => plan(env, parse(celText(condition))))
  return {
    name: '@bufbuild/cel',
    factsOf: nested,
    run: (facts: never) => resultOf(recipe, (index) => programs[index]?.(facts) === true),
  }
}

/** One decision of one expression node that holds all rules, so that evidence crosses into the native engine once. */
function zenEngine(conditions: readonly Condition[], recipe: PlannedRecipe): OtherEngine {
  const expressions = conditions.map((condition, index) => ({
    id: `e${index}`,
    key: `r${index}`,
    value: zenText(condition),
  }))
  const decision = new ZenEngine().createDecision({
    contentType: 'application/vnd.gorules.decision',
    nodes: [
      { id: 'in', name: 'in', type: 'inputNode', position: { x: 0, y: 0 } },
      {
        id: 'rules',
        name: 'rules',
        type: 'expressionNode',
        position: { x: 1, y: 0 },
        content: { expressions },
      },
      { id: 'out', name: 'out', type: 'outputNode', position: { x: 2, y: 0 } },
    ],
    edges: [
      { id: '1', sourceId: 'in', targetId: 'rules', type: 'edge' },
      { id: '2', sourceId: 'rules', targetId: 'out', type: 'edge' },
    ],
  })
  return {
    name: '@gorules/zen-engine',
    factsOf: nested,
    run: async (facts: unknown) => {
      const { result } = await decision.evaluate(facts)
      return resultOf(recipe, (index) => result[`r${index}`] === true)
    },
  }
}

/** Facts flat, without paths, and numbers read beforehand: both are work that it is spared. */
function jsonRulesEngine(conditions: readonly Condition[], recipe: PlannedRecipe): OtherEngine {
  const engine = new Engine([], { allowUndefinedFacts: true })
  engine.addOperator('startsWith', (fact: string, text: string) => fact.startsWith(text))
  engine.addOperator('endsWith', (fact: string, text: string) => fact.endsWith(text))
  // the operator `contains` that it has is for lists
  engine.removeOperator('contains')
  engine.addOperator('contains', (fact: string, text: string) => fact.includes(text))
  engine.addOperator('arrived', (fact: unknown, wanted: boolean) => (fact !== undefined) === wanted)
  const patterns = new Map<string, RegExp>()
  engine.addOperator('matches', (fact: string, pattern: string) => {
    const known = patterns.get(pattern) ?? new RegExp(pattern)
    patterns.set(pattern, known)
    return known.test(fact)
  })
  for (const [index, condition] of conditions.entries()) {
    const test = jsonCondition(condition)
    const top = 'fact' in test ? { all: [test] } : test
    engine.addRule({ conditions: top as never, event: { type: String(index) } })
  }
  const numbers = conditions.flatMap(readsOf).filter(({ type }) => type !== undefined)
  return {
    name: 'json-rules-engine',
    factsOf: (person) => flat(person, new Set(numbers.map(({ name, type }) => `${type} ${name}`))),
    run: async (facts: Record<string, unknown>) => {
      const { events } = await engine.run(facts)
      const held = new Set(events.map(({ type }) => Number(type)))
      return resultOf(recipe, (index) => held.has(index))
    },
  }
}

function flat(person: Person, numbers: ReadonlySet<string>): Record<string, unknown> {
  const texts: Record<string, unknown> = {
    'target.phone_number': person.phone_number,
    'target.email_address': person.email_address,
    'signal.existing_user': person.existing_user,
  }
  for (const [key, value] of Object.entries(person.ext)) texts[`signal.ext.${key}`] = value
  const facts = { ...texts }
  for (const key of numbers) {
    const [type, name = ''] = key.split(' ')
    facts[key] = (type === 'int' ? parseIntText : parseDoubleText)(String(texts[name]))
  }
  return facts
}

/** What the caller of a library that answers yes or no has to make of it: the recipe's result, rule by rule. */
function resultOf(recipe: PlannedRecipe, held: (index: number) => boolean): RecipeResult {
  const { recipe_id, threshold } = recipe
  const rules: RuleResult[] = new Array(recipe.rules.length)
  let sum = 0
  for (let index = 0; index < recipe.rules.length; index += 1) {
    const { rule_id, type, name, version_id, weight } = recipe.rules[
      index
    ] as PlannedRecipe['rules'][number]
    const triggered = held(index)
    if (triggered) sum += weight
    const outcome = triggered ? 'TRIGGERED' : 'NOT_TRIGGERED'
    rules[index] = { rule_id, type, name, version_id, weight, outcome }
  }
  const score = Math.min(100, Math.max(0, sum))
  const verdict = score >= threshold ? 'FLAG' : 'PASS'
  return { recipe_id, threshold, score, verdict, partial_evidence: false, rules }
}
