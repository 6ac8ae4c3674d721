/**
 * The one place where a rule as it is recorded becomes a rule as its author knows it, and back: what an event calls `text` is the
 * author's `expression`; the event's `expression` is what that compiles to, and is not shown.
 */

import type { Expression } from '../../engine/language/expression.ts'

interface RecordedRule {
  readonly text: string
  /** An `Expression`, or its JSON text. */
  readonly expression: unknown
}

/** A recorded rule as its author knows it. */
export type AuthoredRule<Rule extends RecordedRule> = Omit<Rule, keyof RecordedRule> & {
  readonly expression: string
}

/** The rule as its author knows it. */
export function authoredRule<Rule extends RecordedRule>(rule: Rule): AuthoredRule<Rule> {
  const { text, expression: _, ...rest } = rule
  return { ...rest, expression: text }
}

/** The rule as it is recorded; `expression` is what the author's expression compiles to. */
export function recordedRule<Rule extends { readonly expression: string }>(
  rule: Rule,
  expression: Expression,
) {
  const { expression: text, ...rest } = rule
  return { ...rest, text, expression }
}
