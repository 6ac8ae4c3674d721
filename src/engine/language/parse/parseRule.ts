/** Parses and type-checks the text of a rule into an expression, or lists its problems. */

import type { ListKind } from '../../../domain/lists/lists.ts'
import { checkRule } from '../check/checkRule.ts'
import type { Expression, NameNode, ValueType } from '../expression.ts'
import type { Problem } from '../problem.ts'
import { parse } from './parse.ts'

export interface RuleOptions {
  /** Names that may be read as `param.<name>`, with their types; without it there are none. */
  readonly parameters?: ReadonlyMap<string, ValueType>
  /** The lists that `inList` may name, with what stands on them; without it there are none. */
  readonly lists?: ReadonlyMap<string, ListKind>
  /** What stands against a name that the rule reads or asks for, though it exists; undefined when nothing does. */
  readonly objection?: (node: NameNode) => string | undefined
}

export type ParsedRule =
  | { readonly expression: Expression }
  | { readonly problems: readonly Problem[] }

/**
 * Compiles a rule's text: parses it, checks every name, type and literal argument, and returns either the expression or its problems with
 * their positions. Never throws, whatever the text.
 */
export function parseRule(text: string, options: RuleOptions = {}): ParsedRule {
  const parsed = parse(text)
  if ('problem' in parsed) return { problems: [parsed.problem] }
  return checkRule(parsed.syntax, options)
}
