/** Compiles the text of own and managed rules, and describes its errors (`invalid_rule`). */

import { Failure, type FailureDetail } from '../../domain/failure.ts'
import { listCounters } from '../../engine/language/counters.ts'
import type { Expression, NameNode } from '../../engine/language/expression.ts'
import { parseRule, type RuleOptions } from '../../engine/language/parse/parseRule.ts'
import { parseExtKey, parseParameterName } from '../../engine/language/readableNames.ts'
import {
  type RuleParameter,
  valueTypeByParameterType,
} from '../../events/rulebook/managedRulebook.ts'

/** Throws `invalid_rule` with a detail on `expression` for every mistake. */
export function compileRule(text: string, options?: RuleOptions): Expression {
  const compiled = tryCompileRule('expression', text, options)
  if ('expression' in compiled) return compiled.expression
  throw invalidRule('expression', compiled.details)
}

type Compiled = { readonly expression: Expression } | { readonly details: readonly FailureDetail[] }

/** The expression, or a detail for every mistake, all on the path of the text in the request. */
export function tryCompileRule(path: string, text: string, options?: RuleOptions): Compiled {
  const parsed = parseRule(text, options)
  if ('expression' in parsed) return parsed
  const details = parsed.problems.map(({ message, ...position }) => ({
    path,
    message: `The expression does not compile: ${message}`,
    ...position,
  }))
  return { details }
}

/** The refusal of rules that do not compile. */
export function invalidRule(param: string, details: readonly FailureDetail[]): Failure {
  const message = 'The expression does not compile; see details.'
  return new Failure('invalid_rule', message, { param, details })
}

/**
 * Compiles the text with the parameters that the rule declares. Throws `invalid_rule` as for other rules, for every
 * name under `signal.ext` (which is each caller's own), every conversion of a parameter (which has its type), and
 * counters (which are each account's own).
 */
export function compileManagedRule(text: string, declared: readonly RuleParameter[]): Expression {
  const parameters = new Map(
    declared.map(({ name, type }) => [name, valueTypeByParameterType[type]]),
  )
  const expression = compileRule(text, { parameters, objection: findObjection })
  const [counter] = listCounters(expression)
  if (!counter) return expression
  // what is counted would be an account's, and its windows and keys would show in what the account can see
  const message = `A managed rule cannot have counters: ${counter.name}.`
  throw invalidRule('expression', [{ path: 'expression', message }])
}

function findObjection(node: NameNode): string | undefined {
  if (parseExtKey(node.name) !== undefined) return `a managed rule cannot read '${node.name}'`
  const converted = node.kind === 'read' && node.convert !== undefined
  return converted && parseParameterName(node.name) !== undefined
    ? `'${node.name}' has a type and is not converted`
    : undefined
}
