/** Plans of the measured rules: one flow, one recipe. */

import type { Expression } from '../src/engine/language/expression.ts'
import type { Evidence, EvidenceItem } from '../src/engine/run/evidence.ts'
import type { Plan } from '../src/engine/run/plan.ts'
import { parseRule, semanticsVersion } from './built.ts'
import type { Condition } from './conditions.ts'
import { celText } from './notations.ts'
import type { Person } from './people.ts'

/** Score from which the recipe flags. */
const threshold = 50

/** The plan of a live recipe that has these conditions as rules. Throws when one of them is no rule. */
export function planOf(conditions: readonly Condition[]): Plan {
  return {
    flow_id: idOf('flo', 1),
    flow_version_id: idOf('ver', 1),
    semantics: semanticsVersion,
    recipes: [
      {
        recipe_id: idOf('rcp', 1),
        version_id: idOf('ver', 2),
        status: 'LIVE',
        threshold,
        rules: conditions.map((condition, index) => ({
          rule_id: idOf('rul', index),
          type: 'CUSTOM',
          name: `Rule ${index}`,
          version_id: idOf('ver', 3 + index),
          weight: weightOf(index),
          expression: expressionOf(celText(condition)),
        })),
      },
    ],
  }
}

/** The weight of a rule by its place in the recipe. */
export function weightOf(index: number): number {
  return (index % 5) + 1
}

/** The evidence of a person, nothing missing. */
export function evidenceOf(person: Person): Evidence {
  const item = (value: EvidenceItem['value']): EvidenceItem => ({ value, source: 'request' })
  return new Map([
    ['target.phone_number', item(person.phone_number)],
    ['target.email_address', item(person.email_address)],
    ['signal.existing_user', item(person.existing_user)],
    ...Object.entries(person.ext).map(
      ([key, value]) => [`signal.ext.${key}`, item(value)] as const,
    ),
  ])
}

function expressionOf(text: string): Expression {
  const parsed = parseRule(text)
  if ('expression' in parsed) return parsed.expression
  throw new Error(`${text}: ${JSON.stringify(parsed.problems)}`)
}

function idOf(prefix: string, number: number): string {
  return `${prefix}_01h455vb4pex5vsknk${String(number).padStart(8, '0')}`
}
