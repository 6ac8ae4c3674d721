/** The event types of the family of templates, as the catalogue needs them. */

import { type Definitions, plain } from '../recording/definition.ts'
import { integerFrom, object, oneOf, word } from '../recording/schema.ts'
import type { TemplateEvent } from './template.ts'

const stored = object(
  {
    template_id: word,
    name: word,
    // by name, not by the list of those there are: what version 1 holds does not grow with it
    kind: oneOf(['optimized', 'psd2', 'account-takeover']),
    code_size: integerFrom(0),
    ttl_minutes: integerFrom(0),
    max_retries: integerFrom(0),
    retry_delay_seconds: integerFrom(0),
    per_phone_number_limit: integerFrom(0),
    sliding_window_hours: integerFrom(0),
  },
  { suffix: word },
)

export const templateEvents: Definitions<TemplateEvent> = {
  TemplateCreated: plain(stored),
  TemplateUpdated: plain(stored),
  TemplateDeleted: plain(object({ template_id: word })),
}
