/**
 * The rules as a programmer would write them who had nothing else to do: one generated function that does the same
 * work.
 */

import type { Evidence } from '../src/engine/run/evidence.ts'
import type { Plan } from '../src/engine/run/plan.ts'
import type { FlowResult, RuleResult } from '../src/engine/run/result.ts'
import { parseDoubleText, parseIntText } from './built.ts'
import { type Condition, type Read, readsOf } from './conditions.ts'
import { jsText, type Places } from './notations.ts'

type Run = (evidence: Evidence) => FlowResult

/**
 * A function that answers what the compiled plan answers: the same result object, evidence out of the same map, numbers
 * read from text just as strictly, every read of every rule checked for arrival, and like the engine it chooses each
 * rule's result among objects made beforehand.
 */
export function handWritten(conditions: readonly Condition[], plan: Plan): Run {
  const reads = conditions.flatMap(readsOf)
  const names = [...new Set([...reads.map(({ name }) => name), ...askedOf(conditions)])]
  const numbers = new Map(
    reads.filter(({ type }) => type).map((read) => [`${read.type} ${read.name}`, read]),
  )
  const text: Places['text'] = (name) => `t${names.indexOf(name)}`
  const number: Places['number'] = (name, type) => `${type}${names.indexOf(name)}`
  const places: Places = { text, number }
  const lines = [
    'let item',
    ...names.map(
      (name) =>
        `item = evidence.get(${JSON.stringify(name)}); const ${text(name)} = item === undefined || item.value === '' ? undefined : item.value`,
    ),
    ...[...numbers.values()].map(({ name, type = 'int' }) => {
      const from = text(name)
      return `const ${number(name, type)} = typeof ${from} === 'string' ? ${type}OfText(${from}) : undefined`
    }),
    `const rules = new Array(${conditions.length})`,
    'let sum = 0, partial = false',
    ...conditions.map((condition, index) => ruleLines(condition, index, places)),
    'const score = Math.min(100, Math.max(0, sum))',
    "const verdict = score >= threshold ? 'FLAG' : 'PASS'",
    'return { verdict, recipes: [{ recipe_id, threshold, score, verdict, partial_evidence: partial, rules }], shadowRecipes: [] }',
  ]
  return compiled(lines, resultsOf(conditions, plan))
}

function ruleLines(condition: Condition, index: number, places: Places): string {
  const missing = readsOf(condition).map((read, place) => {
    const from = read.type ? places.number(read.name, read.type) : places.text(read.name)
    return `if (${from} === undefined) { rules[${index}] = missing${index}[${place}]; partial = true } else `
  })
  const weight = (index % 5) + 1
  return `${missing.join('')}if (${jsText(condition, places)}) { rules[${index}] = yes${index}; sum += ${weight} } else rules[${index}] = no${index}`
}

/** Every result there can be, under the names that the generated lines use. */
function resultsOf(
  conditions: readonly Condition[],
  plan: Plan,
): Readonly<Record<string, unknown>> {
  const [recipe] = plan.recipes
  if (!recipe) throw new Error('a plan without a recipe')
  const made: Record<string, unknown> = {
    recipe_id: recipe.recipe_id,
    threshold: recipe.threshold,
    intOfText: parseIntText,
    doubleOfText: parseDoubleText,
  }
  for (const [index, condition] of conditions.entries()) {
    const rule = recipe.rules[index]
    if (!rule) throw new Error('a plan of other rules')
    const { rule_id, type, name, version_id, weight } = rule
    const common = { rule_id, type, name, version_id, weight }
    const missing = ({ name: blocked_by }: Read): RuleResult => ({
      ...common,
      outcome: 'NOT_EVALUATED',
      blocked_by,
    })
    made[`yes${index}`] = { ...common, outcome: 'TRIGGERED' }
    made[`no${index}`] = { ...common, outcome: 'NOT_TRIGGERED' }
    made[`missing${index}`] = readsOf(condition).map(missing)
  }
  return made
}

/** The names asked for with `has`. */
function askedOf(conditions: readonly Condition[]): readonly string[] {
  return conditions.flatMap((condition): readonly string[] => {
    if (condition.kind === 'has') return [condition.name]
    if (condition.kind === 'and' || condition.kind === 'or') return askedOf(condition.of)
    return condition.kind === 'not' ? askedOf([condition.of]) : []
  })
}

function compiled(lines: readonly string[], names: Readonly<Record<string, unknown>>): Run {
  const body = `return function (evidence) {\n${lines.join('\n')}\n}`
  return new Function(...Object.keys(names), body)(...Object.values(names)) as Run
}
