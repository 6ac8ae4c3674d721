/** Explains the counters of a rule: key, window, and the value or why there is none. */

import { openObject, optional, type TypeOf } from '../../domain/jsonSchema.ts'
import { personal } from '../../domain/shownPersons.ts'
import { computeKey } from '../language/counterKey.ts'
import {
  type CounterCall,
  type CounterPart,
  counterWindowsMs,
  formatCounterPart,
  listCounters,
} from '../language/counters.ts'
import type { Expression } from '../language/expression.ts'
import {
  counterReasons,
  type Evidence,
  evidenceFields,
  isCounterReason,
  type Unanswered,
} from '../run/evidence.ts'

/** A counter of a rule, as it was read. */
export const explainedCounterSchema = openObject('ExplainedCounter', {
  name: { type: 'string', description: 'The counter in canonical form.' },
  window: {
    type: 'string',
    enum: Object.keys(counterWindowsMs) as (keyof typeof counterWindowsMs)[],
  },
  key: {
    type: 'array',
    items: openObject('CounterKeyPart', {
      name: { type: 'string', description: 'The part of by(…).' },
      value: optional(
        personal({ type: 'string', description: 'Its first 200 characters, where it has more.' }),
      ),
    }),
    description: 'What the counter is kept by; a part without a value did not arrive.',
  },
  value: optional(
    personal({
      type: 'integer',
      description: 'Absent where there was no answer; 256 of distinct is 256 or more.',
    }),
  ),
  left_out: evidenceFields.left_out,
  reason: optional({
    type: 'string',
    enum: counterReasons,
    description:
      'Why there is no value although the key arrived, where it is known. behind: the counters were more than a second behind. warming: it is kept for less than its window. too_large: the sum is beyond 2^53 - 1. not_kept: no published rule has it. imported: of evaluations that are recorded later counters are not read.',
  }),
})
export type ExplainedCounter = TypeOf<typeof explainedCounterSchema>

/** What is known of an evaluation. */
interface Known {
  readonly evidence: Evidence
  readonly unanswered: Unanswered
}

/** The counters of the rule, in order of appearance. */
export function explainCounters(rule: Expression, known: Known): readonly ExplainedCounter[] {
  return listCounters(rule).map((counter) => explainCounter(counter, known))
}

function explainCounter(
  { name, window, series: { by } }: CounterCall,
  { evidence, unanswered }: Known,
): ExplainedCounter {
  const item = evidence.get(name)
  const reason = unanswered.get(name)
  return {
    name,
    window,
    key: by.map((part) => explainPart(part, evidence)),
    ...(typeof item?.value === 'number' && { value: item.value }),
    ...(item?.left_out !== undefined && { left_out: item.left_out }),
    ...(reason !== undefined && isCounterReason(reason) && { reason }),
  }
}

/** Characters of a value of a key: every counter of every rule shows its own again. */
const valueMax = 200

function explainPart(part: CounterPart, evidence: Evidence): ExplainedCounter['key'][number] {
  const findText = (name: string) => {
    const value = evidence.get(name)?.value
    return value === undefined ? undefined : String(value)
  }
  const name = formatCounterPart(part)
  // the country of a number is an answer that is on record
  const [value] = computeKey([part], findText, () => findText(name)) ?? []
  if (value === undefined) return { name }
  return { name, value: value.length > valueMax ? `${value.slice(0, valueMax)}…` : value }
}
