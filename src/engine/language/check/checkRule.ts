/** Type-checks a rule and builds its expression; rejects constant parts that always fail. */

import { evaluateConstant, newConstantBudget } from '../../analyse/evaluateConstant.ts'
import { countNodes, type Expression, isConstant, listChildren, visitNodes } from '../expression.ts'
import type { RuleOptions } from '../parse/parseRule.ts'
import { ruleLimits } from '../ruleLimits.ts'
import type { Problem, Syntax } from '../syntax.ts'
import { addProblem, addTypeMismatch, type CheckContext, type TypedNode } from './checkContext.ts'
import { checkDistincts } from './checkCounter.ts'
import { checkFunction } from './checkFunction.ts'
import { checkName } from './checkName.ts'
import { checkInteger, checkList, checkLiteral, checkOperator } from './checkOperator.ts'

/** The expression of a rule, or its problems. */
export function checkRule(
  syntax: Syntax,
  { parameters, lists = new Map(), objection: findObjection }: RuleOptions,
): { readonly expression: Expression } | { readonly problems: readonly Problem[] } {
  const context: CheckContext = {
    parameters,
    variables: new Map(),
    lists,
    lookups: new Set(),
    countries: new Set(),
    counters: new Set(),
    problems: [],
    patterns: { size: 0 },
    spots: new Map(),
    check,
  }
  const rule = check(syntax, context)
  if (rule && rule.type !== 'bool') addTypeMismatch(context, rule, 'bool')
  if (rule && countNodes(rule.node) > ruleLimits.nodes) {
    addProblem(context, syntax, `the rule has more than ${ruleLimits.nodes} parts`)
  }
  if (rule && findObjection) {
    visitNodes(rule.node, (node) => {
      const text = node.kind === 'read' || node.kind === 'has' ? findObjection(node) : undefined
      if (text !== undefined) addProblem(context, node, text)
    })
  }
  if (rule) checkDistincts(rule.node, context)
  if (rule && context.problems.length === 0) checkConstants(rule.node, context)
  return rule && context.problems.length === 0
    ? { expression: rule.node }
    : { problems: context.problems }
}

function check(syntax: Syntax, context: CheckContext): TypedNode | undefined {
  const typed = checkKind(syntax, context)
  if (typed) context.spots.set(typed.node, syntax)
  return typed
}

function checkKind(syntax: Syntax, context: CheckContext): TypedNode | undefined {
  switch (syntax.kind) {
    case 'literal':
      return checkLiteral(syntax, context)
    case 'integer':
      return checkInteger(syntax.value, syntax, context)
    case 'foreign':
      return addProblem(context, syntax, `${syntax.what} is not in the language of rules`)
    case 'list':
      return checkList(syntax, context)
    case 'operator':
      return checkOperator(syntax, context)
    case 'function':
      return checkFunction(syntax, context)
    default:
      return checkName(syntax, context)
  }
}

/** Records a problem for every constant part that fails; evaluating all of them may take the steps of one rule. */
function checkConstants(
  expression: Expression,
  context: CheckContext,
  budget = newConstantBudget(),
): void {
  const children = listChildren(expression)
  if (!isConstant(expression)) {
    for (const child of children) checkConstants(child, context, budget)
    return
  }
  if (children.length === 0 || budget.steps < 0) return
  if (evaluateConstant(expression, budget) !== undefined) return
  const failure = budget.steps < 0 ? 'takes too many steps' : 'fails whatever arrives'
  addProblem(context, expression, `this part ${failure}`)
}
