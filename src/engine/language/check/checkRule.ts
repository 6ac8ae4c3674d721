/** Type-checks a rule: names are known, types fit, literals are readable. */

import { constantBudget, constantValue } from '../../analyse/constantValue.ts'
import { childrenOf, collect, type Expression, isConstant, nodeCount } from '../expression.ts'
import { limits } from '../limits.ts'
import type { RuleOptions } from '../parse/parseRule.ts'
import type { Problem, Syntax } from '../syntax.ts'
import { checkFunction } from './checkFunction.ts'
import { type Checking, report, reportType, spotOf, type Typed } from './checking.ts'
import { checkName } from './checkName.ts'
import { checkInteger, checkList, checkLiteral, checkOperator } from './checkOperator.ts'

/** The expression of a rule, or its problems. */
export function checkRule(
  syntax: Syntax,
  { parameters, lists = new Map(), objection }: RuleOptions,
): { readonly expression: Expression } | { readonly problems: readonly Problem[] } {
  const checking: Checking = {
    parameters,
    variables: new Map(),
    lists,
    lookups: new Set(),
    problems: [],
    patterns: { size: 0 },
    spots: new Map(),
    check,
  }
  const rule = check(syntax, checking)
  if (rule && rule.type !== 'bool') reportType(checking, rule, 'bool')
  if (rule && nodeCount(rule.node) > limits.nodes) {
    report(checking, syntax, `the rule has more than ${limits.nodes} parts`)
  }
  if (rule && objection) object(rule.node, objection, checking)
  if (rule && checking.problems.length === 0) checkConstants(rule.node, checking)
  return rule && checking.problems.length === 0
    ? { expression: rule.node }
    : { problems: checking.problems }
}

function check(syntax: Syntax, checking: Checking): Typed | undefined {
  const typed = checkKind(syntax, checking)
  if (typed) checking.spots.set(typed.node, syntax)
  return typed
}

function checkKind(syntax: Syntax, checking: Checking): Typed | undefined {
  switch (syntax.kind) {
    case 'literal':
      return checkLiteral(syntax, checking)
    case 'integer':
      return checkInteger(syntax.value, syntax, checking)
    case 'foreign':
      return report(checking, syntax, `${syntax.what} is not in the language of rules`)
    case 'list':
      return checkList(syntax, checking)
    case 'operator':
      return checkOperator(syntax, checking)
    case 'function':
      return checkFunction(syntax, checking)
    default:
      return checkName(syntax, checking)
  }
}

function object(
  expression: Expression,
  objection: NonNullable<RuleOptions['objection']>,
  checking: Checking,
): void {
  collect(expression, (node) => {
    if (node.kind !== 'read' && node.kind !== 'has') return
    const text = objection(node)
    if (text !== undefined) report(checking, spotOf(checking, node), text)
  })
}

/** Records a problem for every constant part that fails; evaluating all of them may take the steps of one rule. */
function checkConstants(
  expression: Expression,
  checking: Checking,
  budget = constantBudget(),
): void {
  const children = childrenOf(expression)
  if (!isConstant(expression)) {
    for (const child of children) checkConstants(child, checking, budget)
    return
  }
  if (children.length === 0 || budget.steps < 0) return
  if (constantValue(expression, budget) !== undefined) return
  const failure = budget.steps < 0 ? 'takes too many steps' : 'fails whatever arrives'
  report(checking, spotOf(checking, expression), `this part ${failure}`)
}
