/** What arrived for an evaluation, and what was sent and did not count. */

import { evidenceSources, type NotCounted, notCountedReasons } from '../../engine/run/evidence.ts'
import type { EvidenceView, NotCountedView } from '../../queries/evaluation/evaluationView.ts'
import { type Fields, optional, viewSchema } from '../request/fields.ts'
import { count, type Schema } from '../request/schema.ts'

const name: Schema = {
  type: 'string',
  description: 'As rules name it: signal.ip, target.phone_number, …',
}

export const evidenceItem: Schema = viewSchema<EvidenceView>('EvidenceItem', {
  name,
  value: { type: ['string', 'boolean', 'number'] },
  source: { type: 'string', enum: evidenceSources },
  revision: optional({
    ...count,
    description: 'Of the answer of a list: the position of the log up to which the list was read.',
  }),
})

type Sent = Omit<NotCounted, 'name'>

const sent = {
  value: { type: ['string', 'boolean'], description: 'As it was sent; never an empty text.' },
  source: { type: 'string', enum: ['request', 'dispatch'] },
  reason: {
    type: 'string',
    enum: [...notCountedReasons],
    description:
      'needs_dispatch: signals of the device and the network count only with a dispatch. dispatch_value_wins: the dispatch brought another value. trusted_user_not_agreed: the operator has not agreed is_trusted_user with the account. front_end_cannot_vouch: the caller’s own word counts from the request alone. address_not_public: a private, loopback or link-local address. unknown_field: the service knows no field of this name.',
  },
} satisfies Fields<Sent>

/** A signal that was sent and is no evidence. */
export const notCountedSignal: Schema = viewSchema<NotCountedView>('NotCountedSignal', {
  name: { ...name, description: 'As rules name it; of an unknown field its path.' },
  ...sent,
  suggestion: optional({
    type: 'string',
    description: 'The field that was most likely meant by an unknown one.',
  }),
})

/** The same below its name. */
export const notCountedValue: Schema = viewSchema<Sent>('NotCountedValue', sent)
