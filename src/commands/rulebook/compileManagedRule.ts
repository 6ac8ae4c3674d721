/** From the text of a managed rule to its expression: what it may read is what every account has. */

import type { FailureDetail } from '../../domain/failure.ts'
import type { NameNode, ValueType } from '../../engine/language/expression.ts'
import { extKey, parameterName } from '../../engine/language/names.ts'
import { type ParsedRule, parseRule } from '../../engine/language/parseRule.ts'
import { type RuleParameter, valueTypeOf } from '../../events/rulebook/managedRulebook.ts'

/** The problem of a parameter that is declared twice: which of the two a rule would read cannot be told. */
export function declaredTwice(parameters: readonly RuleParameter[]): readonly FailureDetail[] {
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
    parameters.map(({ name, type }): [string, ValueType] => [name, valueTypeOf(type)]),
  )
  return parseRule(text, { parameters: types, objection })
}

function objection(node: NameNode): string | undefined {
  if (extKey(node.name) !== undefined) return `a managed rule cannot read '${node.name}'`
  const converted = node.kind === 'read' && node.convert !== undefined
  return converted && parameterName(node.name) !== undefined
    ? `'${node.name}' has a type and is not converted`
    : undefined
}
