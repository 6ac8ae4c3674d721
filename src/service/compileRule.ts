/** From the text of a rule to its expression, or to the refusal that says what to mend. */

import { Failure } from '../domain/failure.ts'
import type { Expression } from '../engine/expression.ts'
import { parseRule } from '../engine/parseRule.ts'

/** Throws `invalid_rule` with a detail on `expression` for every mistake. */
export function compileRule(text: string): Expression {
  const parsed = parseRule(text)
  if ('expression' in parsed) return parsed.expression
  throw new Failure('invalid_rule', 'The expression does not compile; see details.', {
    param: 'expression',
    details: parsed.problems.map(({ message }) => ({
      path: 'expression',
      message: `The expression does not compile: ${message}`,
    })),
  })
}
