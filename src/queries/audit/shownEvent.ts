/** Cuts the data of events to what their account may see. */

import { isoTime } from '../../domain/text/isoTime.ts'
import type { RecordedRecipe } from '../../engine/run/recordResult.ts'
import { showRule } from '../../engine/run/shownRule.ts'
import type { VigilEvent } from '../../events/catalogue.ts'
import { type FlowEvaluated, readClock } from '../../events/evaluation/evaluationEvents.ts'
import { listArrivedNames, type RecordedEvidence } from '../../events/evaluation/evidenceRecord.ts'
import type { EventMetadata } from '../../events/recording/event.ts'
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

/** An event with what its view needs of its metadata. */
interface EventToShow {
  readonly event: VigilEvent
  readonly metadata: Pick<EventMetadata, 'time'>
}

/**
 * The data of an event as its account may see it: no hashes of secrets, nothing of managed rules but what every answer
 * has.
 */
export function showEventContent(decoded: EventToShow): Readonly<Record<string, unknown>> {
  const shown = Object.entries(showData(decoded)).filter(([field]) => !withheldFields.has(field))
  return Object.fromEntries(shown.map(([field, value]) => [field, redactSealed(value)]))
}

function showData({ event, metadata }: EventToShow): object {
  switch (event.type) {
    case 'ExpressionRecorded': {
      const { expression: _, ...managed } = event.data
      return managed.managed ? managed : event.data
    }
    case 'PlanRulesRecorded':
      return { ...event.data, rules: event.data.rules.map(showRule) }
    case 'FlowEvaluated':
      return showEvaluation(event.data, readClock({ event, metadata }))
    default:
      return event.data
  }
}

/** The evaluation with its evidence by name, and beside it what did not count. */
function showEvaluation(
  { arrived, evidence, recipes, missing_managed: _, ...data }: FlowEvaluated,
  timeMs: number,
): object {
  const { phone_number, email_address } = data
  const { ext_unnamed } = arrived
  const closed = isSealed(evidence) || isForgotten(evidence) ? evidence : undefined
  const { values = [], lists = [], ...beside } = closed ? {} : (evidence as RecordedEvidence)
  const revisions = new Map(lists)
  const named = listArrivedNames(arrived).flatMap(({ name, source, isShown }, at) => {
    const revision = revisions.get(name)
    const item = { name, value: closed ?? values[at], source }
    return isShown ? [revision === undefined ? item : { ...item, revision }] : []
  })
  const items = [
    { name: 'target.phone_number', value: phone_number, source: 'request' },
    { name: 'target.email_address', value: email_address, source: 'request' },
    ...named,
    { name: 'request.time', value: isoTime(timeMs), source: 'service' },
  ]
  return {
    ...data,
    recipes: recipes.map(showBlockedRules),
    arrived: items.flatMap((item) =>
      item.value === undefined ? [] : [{ ...item, value: redactSealed(item.value) }],
    ),
    ...(ext_unnamed !== undefined && { ext_unnamed }),
    evidence: closed ?? beside,
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
