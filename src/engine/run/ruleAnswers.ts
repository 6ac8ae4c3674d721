/** Builds every possible answer of a rule once, so that a run only selects one (spec 2.6). */

import type { PlannedRuleInfo } from './plan.ts'
import type { Outcome, RuleResult } from './result.ts'
import { showBlockedBy, showRule } from './shownRule.ts'

/** `T`riggered, `N`ot triggered, `M`issing evidence, `U`navailable, `S`kipped. */
export type OutcomeLetter = 'T' | 'N' | 'M' | 'U' | 'S'

export interface RuleAnswer {
  readonly letter: OutcomeLetter
  /** For `M`: the name that did not arrive, as the account is told. */
  readonly blockedBy: string | undefined
  readonly result: RuleResult
  /** The result as JSON text; made when first asked for. */
  json: string | undefined
}

export type RuleAnswers = Readonly<ReturnType<typeof buildRuleAnswers>>

const outcomes: Readonly<Record<OutcomeLetter, Outcome>> = {
  T: 'TRIGGERED',
  N: 'NOT_TRIGGERED',
  M: 'NOT_EVALUATED',
  U: 'NOT_EVALUATED',
  S: 'SKIPPED',
}

export function buildRuleAnswers(rule: PlannedRuleInfo) {
  const blocked = new Map<string, RuleAnswer>()
  return {
    triggered: buildRuleAnswer(rule, 'T'),
    notTriggered: buildRuleAnswer(rule, 'N'),
    unavailable: buildRuleAnswer(rule, 'U'),
    skipped: buildRuleAnswer(rule, 'S'),
    blockedBy: (name: string): RuleAnswer => {
      const answer = blocked.get(name) ?? buildRuleAnswer(rule, 'M', name)
      blocked.set(name, answer)
      return answer
    },
  }
}

/** One answer; `missing` is the name that did not arrive, for the letter `M`. */
export function buildRuleAnswer(
  rule: PlannedRuleInfo,
  letter: OutcomeLetter,
  missing?: string,
): RuleAnswer {
  const { rule_id, type, name, version_id, weight } = showRule(rule)
  const blockedBy = missing === undefined ? undefined : showBlockedBy(rule, missing)
  const result: RuleResult = {
    rule_id,
    type,
    ...(name !== undefined && { name }),
    ...(version_id !== undefined && { version_id }),
    weight,
    outcome: outcomes[letter],
    ...(blockedBy !== undefined && { blocked_by: blockedBy }),
    ...(letter === 'U' && { unavailable: true as const }),
  }
  return { letter, blockedBy, result: Object.freeze(result), json: undefined }
}

/** The JSON text of the answer's result. */
export function renderAnswer(answer: RuleAnswer): string {
  answer.json ??= JSON.stringify(answer.result)
  return answer.json
}
