/** Detects rules that always or never trigger (`rule_always_triggers`, `rule_never_triggers`). */

import {
  type CallNode,
  countNodes,
  type Expression,
  isConstant,
  type ValueType,
} from '../language/expression.ts'
import { findExpressionType } from '../language/findExpressionType.ts'
import { findOperationById } from '../language/operators/operationTable.ts'
import { findMissingRead } from '../language/presenceConditions.ts'
import { unparse } from '../language/unparse.ts'
import type { ScalarValue, Value } from '../language/values/value.ts'
import { type ConstantBudget, evaluateConstant, newConstantBudget } from './evaluateConstant.ts'

/** Visits of nodes, and comparisons, beyond which the outcome is undefined. */
const visitsMax = 20_000
const comparisonsMax = 200_000

/**
 * The constant outcome of a rule: true when it always triggers, false when it never does; undefined when it may do
 * either, as far as can be told. Comparisons of one value with several literals depend on each other; other conditions
 * are independent. The work is subtracted from the budget. Never throws on an expression that compiles.
 */
export function findConstantOutcome(
  rule: Expression,
  budget: OutcomeBudget = newOutcomeBudget(rule),
): boolean | undefined {
  const found: Conditions = {
    subjects: new Map(),
    asked: new Map(),
    fixed: new Map(),
    constants: newConstantBudget(),
  }
  collectConditions(rule, found)
  const { asked, fixed } = found
  const values = listCasesOfValues(found, budget)
  if (!values) return undefined
  const arrivals = [...asked.values()].map((nodes) =>
    [true, false].map((arrived) => new Map(nodes.map((node) => [node, arrived]))),
  )
  const outcomes = new Set<boolean>()
  for (const arrived of combineCases(arrivals, new Map(fixed))) {
    // what it does not ask for can only be found missing by reading it
    const hasArrived = (name: string): boolean =>
      asked.get(name)?.some((node) => arrived.get(node)) ?? true
    if (findMissingRead(rule, hasArrived, ({ name }) => !hasArrived(name))) continue
    for (const truth of combineCases(values, new Map(arrived))) {
      outcomes.add(holdsInCase(rule, truth))
      if (outcomes.size > 1) return undefined
    }
  }
  const [outcome] = outcomes
  return outcome
}

/** The remaining work for one rule. */
interface OutcomeBudget {
  /** Cases of all values and names together. */
  readonly casesMax: number
  /** Comparisons of a value with a literal of the rule. */
  comparisons: number
}

export function newOutcomeBudget(rule: Expression): OutcomeBudget {
  return { casesMax: visitsMax / countNodes(rule), comparisons: comparisonsMax }
}

/** Which conditions hold in one case. */
type Case = ReadonlyMap<Expression, boolean>

/** Every combination of a case of each value, added to what is known; the same map each time. */
function* combineCases(
  [cases, ...others]: readonly (readonly Case[])[],
  truth: Map<Expression, boolean>,
): Generator<Case> {
  if (!cases) {
    yield truth
    return
  }
  for (const one of cases) {
    for (const [node, value] of one) truth.set(node, value)
    yield* combineCases(others, truth)
  }
}

function holdsInCase(node: Expression, truth: Case): boolean {
  const known = truth.get(node)
  if (known !== undefined || node.kind !== 'call') return known === true
  const [first, one, other] = node.args
  switch (node.operator) {
    case '!':
      return first !== undefined && !holdsInCase(first, truth)
    case '&&':
      return node.args.every((arg) => holdsInCase(arg, truth))
    case '||':
      return node.args.some((arg) => holdsInCase(arg, truth))
    default: {
      const branch = first && holdsInCase(first, truth) ? one : other
      return branch !== undefined && holdsInCase(branch, truth)
    }
  }
}

/** The conditions of a rule, found below `!`, `&&`, `||` and `?:`. */
interface Conditions {
  /** The unknown values, by type and text. */
  readonly subjects: Map<string, Subject>
  /** The names that the rule checks with `has`, each with its nodes. */
  readonly asked: Map<string, Expression[]>
  /** Conditions that are constant. */
  readonly fixed: Map<Expression, boolean>
  readonly constants: ConstantBudget
}

/** An unknown value, with every condition on it. */
interface Subject {
  readonly type: ValueType
  readonly isRead: boolean
  readonly tests: Test[]
  /** The literals it is compared with. */
  readonly written: ScalarValue[]
}

interface Test {
  readonly node: Expression
  /** Values that one value is compared with. */
  readonly comparisons: number
  readonly holds: (value: ScalarValue) => boolean
}

function collectConditions(node: Expression, found: Conditions): void {
  if (node.kind === 'has') {
    found.asked.set(node.name, [...(found.asked.get(node.name) ?? []), node])
    return
  }
  const fixed = evaluateIfConstant(node, found)
  if (fixed !== undefined) {
    found.fixed.set(node, fixed === true)
  } else if (node.kind === 'call' && ['!', '&&', '||', '?:'].includes(node.operator)) {
    for (const arg of node.args) collectConditions(arg, found)
  } else if (node.kind !== 'call' || !collectComparison(node, found)) {
    const { tests } = getOrAddSubject(node, 'bool', found)
    tests.push({ node, comparisons: 1, holds: (value) => value === true })
  }
}

const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=', 'in'])

/** Notes a comparison with a literal; false for any other call. */
function collectComparison(node: CallNode, found: Conditions): boolean {
  const operation = findOperationById(node.operator)
  const [a, b] = node.args
  if (!operation || !comparisons.has(operation.name) || !a || !b) return false
  const [subject, written] = isConstant(a) ? [b, a] : [a, b]
  const type = findExpressionType(subject)
  const value = isConstant(subject) ? undefined : evaluateIfConstant(written, found)
  if (type === undefined || value === undefined) return false
  const known = getOrAddSubject(subject, type, found)
  const cells = Array.isArray(value) ? (value as readonly ScalarValue[]) : [value as ScalarValue]
  known.written.push(...cells)
  const { apply } = operation
  const holds = (cell: ScalarValue): boolean =>
    (written === b ? apply(cell, value) : apply(value, cell)) === true
  known.tests.push({ node, comparisons: 1 + cells.length, holds })
  return true
}

function getOrAddSubject(node: Expression, type: ValueType, { subjects }: Conditions): Subject {
  const key = `${type} ${unparse(node)}`
  const isRead = node.kind === 'read'
  const subject = subjects.get(key) ?? { type, isRead, tests: [], written: [] }
  subjects.set(key, subject)
  return subject
}

/** The value of a constant part; undefined when it is not constant, or fails. */
function evaluateIfConstant(node: Expression, { constants }: Conditions): Value | undefined {
  return isConstant(node) ? evaluateConstant(node, constants) : undefined
}

/**
 * The cases of each value, of which exactly one holds; undefined when there are more, or more comparisons, than the
 * budget allows.
 */
function listCasesOfValues(
  { subjects, asked }: Conditions,
  budget: OutcomeBudget,
): readonly (readonly Case[])[] | undefined {
  let casesMax = budget.casesMax / 2 ** asked.size
  const values: (readonly Case[])[] = []
  for (const subject of subjects.values()) {
    const cases = casesMax < 1 ? undefined : listCases(subject, casesMax, budget)
    if (!cases) return undefined
    casesMax /= cases.length
    values.push(cases)
  }
  return casesMax < 1 ? undefined : values
}

/** The cases of one value, each once; undefined when they are too many or cost too much. */
function listCases(
  { type, isRead, tests, written }: Subject,
  casesMax: number,
  budget: OutcomeBudget,
): readonly Case[] | undefined {
  const cases = new Map<string, Case>()
  const comparisons = tests.reduce((sum, test) => sum + test.comparisons, 0)
  // no text converts to NaN, but doubles can be computed that are NaN
  const samples = sampleValues(type, written)
  for (const value of type === 'double' && !isRead ? [...samples, Number.NaN] : samples) {
    budget.comparisons -= comparisons
    if (budget.comparisons < 0) return undefined
    const results = tests.map(({ node, holds }) => [node, holds(value)] as const)
    cases.set(String(results.map(([, result]) => result)), new Map(results))
    if (cases.size > casesMax) return undefined
  }
  return [...cases.values()]
}

/** Each of the written values, and at least one between, before and after them wherever there is one. */
export function sampleValues(
  type: ValueType,
  written: readonly ScalarValue[],
): readonly ScalarValue[] {
  switch (type) {
    case 'bool':
      return [true, false]
    case 'string':
      // directly behind a text in the order of texts stands the same with the least character behind it
      return unique(['', ...written.flatMap((text) => [text, `${text}\0`])])
    case 'int':
      return intSamples(written as readonly number[])
    default:
      return numberSamples(written as readonly number[])
  }
}

/** The whole numbers around each, and the ends of the ints, which lie beyond what else is written. */
function intSamples(written: readonly number[]): readonly number[] {
  const around = written
    .filter(Number.isFinite)
    .flatMap((number) => [Math.floor(number), Math.ceil(number)])
  return unique([
    Number.MIN_SAFE_INTEGER,
    ...around.flatMap((number) => [number - 1, number, number + 1]),
    Number.MAX_SAFE_INTEGER,
  ])
}

function numberSamples(written: readonly number[]): readonly number[] {
  // what is no number compares with nothing, so that any value stands for how others compare with it
  const sorted = unique(written)
    .filter((number) => !Number.isNaN(number))
    .toSorted((a, b) => a - b)
  // the one sum leaves the doubles where both are huge, the other loses what both are made of where they are tiny
  const between = sorted.slice(1).flatMap((number, index) => {
    const before = sorted[index] ?? number
    return [(before + number) / 2, before / 2 + number / 2]
  })
  const ends = [Number.MAX_VALUE, Number.POSITIVE_INFINITY]
  return unique([...ends.map((end) => -end), ...sorted, ...between, ...ends])
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)]
}
