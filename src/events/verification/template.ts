/** Declares the events of message templates (streams `templates-{account}`), and folds them. */

import type { TemplateContent } from '../../domain/verification/templates.ts'
import { defineNonPersonalEvent, type EventOf } from '../recording/eventDefinition.ts'
import { integerFrom, nonEmptyString, oneOf } from '../recording/eventSchema.ts'

/** The templates of an account, by their ids, in the order in which they were created. */
export type TemplatesState = Map<string, TemplateContent>

/** The templates after one more event; mutates them. */
export function evolveTemplates(state: TemplatesState, event: TemplateEvent): TemplatesState {
  if (event.type === 'TemplateDeleted') state.delete(event.data.template_id)
  else {
    const { template_id, ...content } = event.data
    state.set(template_id, content)
  }
  return state
}

/** The stream of an account's templates. One for each account: how many it has is decided on. */
export function templateStream(account: string): string {
  return `templates-${account}`
}

const stored = defineNonPersonalEvent(
  {
    template_id: nonEmptyString,
    name: nonEmptyString,
    // by name, not by the list of those there are: what version 1 holds does not grow with it
    kind: oneOf(['optimized', 'psd2', 'account-takeover']),
    code_size: integerFrom(0),
    ttl_minutes: integerFrom(0),
    max_retries: integerFrom(0),
    retry_delay_seconds: integerFrom(0),
    per_phone_number_limit: integerFrom(0),
    sliding_window_hours: integerFrom(0),
  },
  { suffix: nonEmptyString },
)

export const templateEvents = {
  TemplateCreated: stored,
  /** The whole template as it is from then on, whatever was changed. */
  TemplateUpdated: stored,
  TemplateDeleted: defineNonPersonalEvent({ template_id: nonEmptyString }),
}

export type TemplateEvent = EventOf<typeof templateEvents>
