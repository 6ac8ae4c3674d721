/** Detects rules that always or never trigger (`rule_always_triggers`, `rule_never_triggers`). */

import { childrenOf, collect, type Expression } from '../language/expression.ts'
import { unreachedParts } from '../language/guards.ts'
import { type Question, type QuestionMeans, type Questions, questionsOf } from './questions.ts'

/** Visits of nodes, and comparisons, after which a rule is taken for one that may come out either way. */
const visitsMax = 20_000
const comparisonsMax = 200_000

/**
 * The constant outcome of a rule: true when it always triggers, false when it never does; undefined when it may do either, as far as can be
 * told. Comparisons of one value with several literals are distinguished; other conditions are independent of each other. Work is
 * subtracted from the means. Never throws on an expression that compiles.
 */
export function constantOutcome(
  rule: Expression,
  means: QuestionMeans = outcomeMeans(rule),
): boolean | undefined {
  const questions = questionsOf(rule, means)
  if (!questions) return undefined
  const names = [...questions.asked.keys()]
  const outcomes = new Set<boolean>()
  for (let arrival = 0; arrival < 2 ** names.length; arrival++) {
    const arrived = new Set(names.filter((_, at) => (arrival >> at) % 2 === 1))
    if (waits(rule, names, arrived)) continue
    for (const truth of casesOver(questions, arrived)) {
      outcomes.add(holds(rule, truth))
      if (outcomes.size > 1) return undefined
    }
  }
  const [outcome] = outcomes
  return outcome
}

/** What may be spent on finding out what a rule depends on. */
export function outcomeMeans(rule: Expression): QuestionMeans {
  return { waysMax: visitsMax / sizeOf(rule), comparisons: comparisonsMax }
}

function sizeOf(rule: Expression): number {
  let nodes = 0
  collect(rule, () => {
    nodes += 1
  })
  return nodes
}

/** Whether the rule is not evaluated since it reads one of the names that did not arrive. */
function waits(rule: Expression, names: readonly string[], arrived: ReadonlySet<string>): boolean {
  // what it does not ask for can only be found missing by reading it
  const isThere = (name: string): boolean => arrived.has(name) || !names.includes(name)
  const unreached = unreachedParts(rule, isThere)
  const lacks = (node: Expression): boolean =>
    !unreached.has(node) &&
    ((node.kind === 'read' && !isThere(node.name)) || childrenOf(node).some(lacks))
  return lacks(rule)
}

type Truth = ReadonlyMap<Expression, boolean>

/** Every way in which the conditions of the rule can come out together. */
function* casesOver(questions: Questions, arrived: ReadonlySet<string>): Generator<Truth> {
  const truth = new Map(questions.fixed)
  for (const [name, nodes] of questions.asked) {
    for (const node of nodes) truth.set(node, arrived.has(name))
  }
  yield* answered(questions.values, 0, truth)
}

function* answered(
  values: readonly Question[],
  at: number,
  truth: Map<Expression, boolean>,
): Generator<Truth> {
  const question = values[at]
  if (!question) {
    yield truth
    return
  }
  for (const one of question) {
    for (const [node, value] of one) truth.set(node, value)
    yield* answered(values, at + 1, truth)
  }
}

function holds(node: Expression, truth: Truth): boolean {
  const known = truth.get(node)
  if (known !== undefined || node.kind !== 'call') return known === true
  const [first, one, other] = node.args
  switch (node.operator) {
    case '!':
      return first !== undefined && !holds(first, truth)
    case '&&':
      return node.args.every((arg) => holds(arg, truth))
    case '||':
      return node.args.some((arg) => holds(arg, truth))
    default: {
      const branch = first && holds(first, truth) ? one : other
      return branch !== undefined && holds(branch, truth)
    }
  }
}
