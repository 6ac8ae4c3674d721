/** Cuts the data of events to what their account may see. */

import type { RecordedRecipe } from '../../engine/run/recordResult.ts'
import { showRule } from '../../engine/run/shownRule.ts'
import type { VigilEvent } from '../../events/catalogue.ts'
import { isForgotten, isSealed } from '../../events/recording/sealing.ts'

/**
 * Hashes of secrets, in any event: never shown. `hash` is that of a token or of a password, `proof_id` and
 * `key_thumbprint` stand for a proof and the key of a client.
 */
const withheldFields: ReadonlySet<string> = new Set([
  'hash',
  'refresh_token_hash',
  'key_thumbprint',
  'proof_id',
])

/**
 * The names that managed rules read can be told from: the order of values is that of names in rules, and what no rule reads stands apart.
 * `GET` of the evaluation has the evidence by name.
 */
const codedEvidence: ReadonlySet<string> = new Set(['sources', 'values', 'items', 'lists'])

/** The data of an event as its account may see it: no hashes of secrets, nothing of managed rules but what every answer has. */
export function showEventContent(event: VigilEvent): Readonly<Record<string, unknown>> {
  const shown = Object.entries(showData(event)).filter(([field]) => !withheldFields.has(field))
  return Object.fromEntries(shown.map(([field, value]) => [field, redactSealed(value)]))
}

function showData(event: VigilEvent): object {
  switch (event.type) {
    case 'ExpressionRecorded': {
      const { expression: _, ...managed } = event.data
      return managed.managed ? managed : event.data
    }
    case 'PlanRulesRecorded':
      return { ...event.data, rules: event.data.rules.map(showRule) }
    case 'FlowEvaluated': {
      const { missing_managed: _, recipes, ...data } = event.data
      const evidence = Object.entries(data.evidence)
      const shown = evidence.filter(([field]) => !codedEvidence.has(field))
      return {
        ...data,
        recipes: recipes.map(showBlockedRules),
        evidence: Object.fromEntries(shown),
      }
    }
    default:
      return event.data
  }
}

/**
 * Of a managed rule only that it waits for something: how many names it waits for, and with which other rules, would
 * tell of what it reads.
 */
function showBlockedRules({ blocked_by, ...recipe }: RecordedRecipe): RecordedRecipe {
  if (!blocked_by) return recipe
  return {
    ...recipe,
    blocked_by: blocked_by.map((names) => (names.some(isManaged) ? [-1] : names)),
  }
}

function isManaged(index: number): boolean {
  return index < 0
}

/** The value of a field as it is shown: what is personal only where it was opened. */
export function redactSealed(value: unknown): unknown {
  if (isSealed(value)) return { sealed: true }
  return isForgotten(value) ? { forgotten: true } : value
}
