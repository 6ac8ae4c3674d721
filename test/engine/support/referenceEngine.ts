/**
 * What a rule gives, found out slowly: every way that a run could go is gone, and values are computed as they are
 * written.
 */

import type { Expression, ReadNode } from '../../../src/engine/language/expression.ts'
import { parseTextByType } from '../../../src/engine/language/operators/celFunctions.ts'
import { findOperationById } from '../../../src/engine/language/operators/operationTable.ts'
import type { Value } from '../../../src/engine/language/values/value.ts'
import type { Values } from './evaluate.ts'

type Named = Extract<Expression, { readonly kind: 'read' | 'has' }>
type Variables = ReadonlyMap<string, { readonly value: Value; readonly list: Expression }>

/** Conditions beyond which `ways` takes too long. */
export const conditionsMax = 10

/** `true`, `false` or `missing <name>`; `unavailable` for a rule that fails with nobody to blame. */
export function referenceOutcome(rule: Expression, values: Values): string {
  const names = (part: Expression) => reached(part, values)
  const lacking = names(rule).find(
    (node) => node.kind === 'read' && readValue(node, values) === undefined,
  )
  if (lacking) return `missing ${lacking.name}`
  try {
    return String(evaluate(rule, values, new Map()))
  } catch (error) {
    if (!(error instanceof Failed)) throw error
    const blamed = [...byRank(names(error.part)), ...byRank(names(rule))]
    return blamed[0] ? `missing ${blamed[0].name}` : 'unavailable'
  }
}

class Failed extends Error {
  readonly part: Expression

  constructor(part: Expression) {
    super('the rule fails')
    this.part = part
  }
}

/** Names that are read before names that are asked for. */
function byRank(names: readonly Named[]): readonly Named[] {
  const of = (kind: Named['kind']) => names.filter((name) => name.kind === kind)
  return [...of('read'), ...of('has')]
}

function arrived(name: string, values: Values): boolean {
  return values[name] !== undefined && values[name] !== ''
}

function readValue({ name, convert }: ReadNode, values: Values): Value | undefined {
  const value = arrived(name, values) ? values[name] : undefined
  if (convert === undefined || value === undefined) return value
  return typeof value === 'string' ? parseTextByType[convert](value) : undefined
}

/** The names that some run comes to, in order of appearance, if every condition but `has` may come out either way. */
export function reached(part: Expression, values: Values): readonly Named[] {
  const conditions = conditionsOf(part)
  const visited = new Set<Expression>()
  for (let way = 0; way < 2 ** conditions.length; way++) {
    const holds = (condition: Expression) => ((way >> conditions.indexOf(condition)) & 1) === 1
    walk(part, { values, visited, holds })
  }
  return namesIn(part).filter((node) => visited.has(node))
}

interface Walk {
  readonly values: Values
  readonly visited: Set<Expression>
  readonly holds: (condition: Expression) => boolean
}

/** Goes one way through the part; answers whether it holds, where it is a condition. */
function walk(node: Expression, run: Walk): boolean {
  run.visited.add(node)
  if (node.kind === 'has') return arrived(node.name, run.values)
  const [first, one, other] = below(node) as [Expression, Expression, Expression]
  switch (node.kind === 'call' ? node.operator : undefined) {
    case '!':
      return !walk(first, run)
    case '&&':
      return below(node).every((arg) => walk(arg, run))
    case '||':
      return below(node).some((arg) => walk(arg, run))
    case '?:':
      return walk(first, run) ? walk(one, run) : walk(other, run)
    default:
      for (const child of below(node)) walk(child, run)
      return run.holds(node)
  }
}

/** Whatever decides where a run goes, and is not made of `has`. */
export function conditionsOf(part: Expression): readonly Expression[] {
  const found: Expression[] = []
  const condition = (node: Expression): void => {
    const passesOn = node.kind === 'call' && ['!', '&&', '||', '?:'].includes(node.operator)
    if (!passesOn && node.kind !== 'has') found.push(node)
    if (passesOn && node.operator === '?:') node.args.slice(1).forEach(condition)
  }
  const visit = (node: Expression): void => {
    if (node.kind === 'call' && ['!', '&&', '||'].includes(node.operator)) {
      node.args.forEach(condition)
    }
    if (node.kind === 'call' && node.operator === '?:' && node.args[0]) condition(node.args[0])
    below(node).forEach(visit)
  }
  visit(part)
  return [...new Set(found)]
}

function below(node: Expression): readonly Expression[] {
  if (node.kind === 'list') return node.items
  if (node.kind === 'call') return node.args
  return node.kind === 'exists' || node.kind === 'all' ? [node.list, node.body] : []
}

function namesIn(node: Expression): readonly Named[] {
  return node.kind === 'read' || node.kind === 'has' ? [node] : below(node).flatMap(namesIn)
}

function evaluate(node: Expression, values: Values, variables: Variables): Value {
  const value = (child: Expression): Value => evaluate(child, values, variables)
  switch (node.kind) {
    case 'literal':
      return node.value
    case 'has':
      return arrived(node.name, values)
    case 'read':
      return readValue(node, values) as Value
    case 'variable':
      return variables.get(node.name)?.value as Value
    case 'list':
      return node.items.map(value) as Value
    case 'call':
      return evaluateCall(node, values, variables)
    default:
      return (value(node.list) as readonly (string | number | boolean)[])[
        node.kind === 'exists' ? 'some' : 'every'
      ]((item) => {
        const bound = { value: item, list: withLists(node.list, variables) }
        return evaluate(node.body, values, new Map(variables).set(node.variable, bound)) === true
      })
  }
}

function evaluateCall(
  node: Extract<Expression, { readonly kind: 'call' }>,
  values: Values,
  variables: Variables,
): Value {
  const value = (child: Expression | undefined): Value =>
    evaluate(child as Expression, values, variables)
  const { operator, args } = node
  if (operator === '&&') return args.every((arg) => value(arg) === true)
  if (operator === '||') return args.some((arg) => value(arg) === true)
  if (operator === '?:') return value(args[0]) === true ? value(args[1]) : value(args[2])
  const [a, b] = args.map(value) as [Value, Value]
  const result = findOperationById(operator)?.apply(a, b)
  if (result !== undefined) return result
  throw new Failed(withLists(node, variables))
}

/** The part with every variable of a loop around it replaced by the list that the loop goes through. */
function withLists(node: Expression, variables: Variables): Expression {
  const replaced = (child: Expression): Expression => withLists(child, variables)
  switch (node.kind) {
    case 'variable':
      return variables.get(node.name)?.list ?? node
    case 'list':
      return { ...node, items: node.items.map(replaced) }
    case 'call':
      return { ...node, args: node.args.map(replaced) }
    case 'exists':
    case 'all': {
      const list = replaced(node.list)
      const inside = new Map(variables).set(node.variable, { value: 0, list })
      return { ...node, list, body: withLists(node.body, inside) }
    }
    default:
      return node
  }
}
