/** Compiles the text of own and managed rules, and describes its errors (`invalid_rule`). */

import { Failure, type FailureDetail } from '../../domain/failure.ts'
import type { Expression, NameNode, ValueType } from '../../engine/language/expression.ts'
import {
  type ParsedRule,
  parseRule,
  type RuleOptions,
} from '../../engine/language/parse/parseRule.ts'
import { extKey, parseParameterName } from '../../engine/language/readableNames.ts'
import type { Problem } from '../../engine/language/syntax.ts'
import {
  type RuleParameter,
  valueTypeByParameterType,
} from '../../events/rulebook/managedRulebook.ts'

/** `lists` are those that the rule may ask; see `parseRule`. Throws `invalid_rule` with a detail on `expression` for every mistake. */
export function compileRule(text: string, lists?: RuleOptions['lists']): Expression {
  const compiled = tryCompileRule('expression', text, lists)
  if ('expression' in compiled) return compiled.expression
  throw invalidRule('expression', compiled.details)
}

type Compiled = { readonly expression: Expression } | { readonly details: readonly FailureDetail[] }

/** The expression, or a detail for every mistake, all on the path of the text in the request. */
export function tryCompileRule(path: string, text: string, lists?: RuleOptions['lists']): Compiled {
  const parsed = parseRule(text, lists && { lists })
  if ('expression' in parsed) return parsed
  return { details: ruleDetails(path, parsed.problems) }
}

/** A detail for every mistake of the rule whose text is on the path. */
export function ruleDetails(path: string, problems: readonly Problem[]): readonly FailureDetail[] {
  return problems.map(({ message, ...position }) => ({
    path,
    message: `The expression does not compile: ${message}`,
    ...position,
  }))
}

/** The refusal of rules that do not compile. */
export function invalidRule(param: string, details: readonly FailureDetail[]): Failure {
  return new Failure('invalid_rule', 'The expression does not compile; see details.', {
    param,
    details,
  })
}

/** The problem of a parameter that is declared twice: which of the two a rule would read cannot be told. */
export function findDuplicateParameters(
  parameters: readonly RuleParameter[],
): readonly FailureDetail[] {
  return parameters.flatMap(({ name }, index) =>
    parameters.findIndex((other) => other.name === name) < index
      ? [
          {
            path: `parameters.${index}.name`,
            message: 'There is a parameter of this name already.',
          },
        ]
      : [],
  )
}

/**
 * Compiles the text with the parameters that the rule declares. Problems are those of `parseRule`, every name under `signal.ext` (which
 * is each caller's own), and every conversion of a parameter (which has its type).
 */
export function compileManagedRule(text: string, parameters: readonly RuleParameter[]): ParsedRule {
  const types = new Map(
    parameters.map(({ name, type }): [string, ValueType] => [name, valueTypeByParameterType[type]]),
  )
  return parseRule(text, { parameters: types, objection })
}

function objection(node: NameNode): string | undefined {
  if (extKey(node.name) !== undefined) return `a managed rule cannot read '${node.name}'`
  const converted = node.kind === 'read' && node.convert !== undefined
  return converted && parseParameterName(node.name) !== undefined
    ? `'${node.name}' has a type and is not converted`
    : undefined
}
