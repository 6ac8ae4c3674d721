/** From the text of a rule to its expression, or to the refusal that says what to mend. */

import { Failure, type FailureDetail } from '../../domain/failure.ts'
import type { Expression } from '../../engine/language/expression.ts'
import { parseRule, type RuleOptions } from '../../engine/language/parseRule.ts'
import type { Problem } from '../../engine/language/problem.ts'

/** `lists` are those that the rule may ask; see `parseRule`. Throws `invalid_rule` with a detail on `expression` for every mistake. */
export function compileRule(text: string, lists?: RuleOptions['lists']): Expression {
  const compiled = compileAt('expression', text, lists)
  if ('expression' in compiled) return compiled.expression
  throw invalidRule('expression', compiled.details)
}

type Compiled = { readonly expression: Expression } | { readonly details: readonly FailureDetail[] }

/** The expression, or a detail for every mistake, all on the path where the text stands in the request. */
export function compileAt(path: string, text: string, lists?: RuleOptions['lists']): Compiled {
  const parsed = parseRule(text, lists && { lists })
  if ('expression' in parsed) return parsed
  return { details: ruleDetails(path, parsed.problems) }
}

/** A detail for every mistake of the rule whose text stands on the path. */
export function ruleDetails(path: string, problems: readonly Problem[]): readonly FailureDetail[] {
  return problems.map(({ message, ...spot }) => ({
    path,
    message: `The expression does not compile: ${message}`,
    ...spot,
  }))
}

/** The refusal of rules that do not compile. */
export function invalidRule(param: string, details: readonly FailureDetail[]): Failure {
  return new Failure('invalid_rule', 'The expression does not compile; see details.', {
    param,
    details,
  })
}
