/** Declares evidence, signals that do not count, and answers of lists and counters. */

import { countSchema, type ObjectOf, optional } from '../../domain/jsonSchema.ts'

/** Every reason for which a signal that was sent does not count (spec 2.1, 2.3; design 4.8). */
export const notCountedReasons = [
  'needs_dispatch',
  'dispatch_value_wins',
  'trusted_user_not_agreed',
  'front_end_cannot_vouch',
  'address_not_public',
  'unknown_field',
] as const

export const evidenceSources = [
  'dispatch',
  'request',
  'user_agent',
  'list',
  'call',
  'counter',
  'service',
] as const

export type EvidenceSource = (typeof evidenceSources)[number]

/** `request.time` is milliseconds since the Unix epoch; every other value is text or bool. Never an empty text. */
export const evidenceFields = {
  value: { type: ['string', 'boolean', 'number'] },
  source: { type: 'string', enum: evidenceSources },
  revision: optional({
    ...countSchema,
    description: 'For list answers: the log position up to which the list was read.',
  }),
  left_out: optional({
    ...countSchema,
    description: 'Of sums: how many texts were no integers, and were left out.',
  }),
} as const
export type EvidenceItem = ObjectOf<typeof evidenceFields>

/**
 * Evidence by the names of the rule language: `signal.ip`, `signal.ext.cart_total`, `target.phone_number`,
 * `list.block`, `request.time`, and the answers of calls by their canonical text:
 * `phoneCountry(target.phone_number)`, `inList("vip", signal.ip)`, `count(…)`. A name that is not a key did not arrive.
 */
export type Evidence = ReadonlyMap<string, EvidenceItem>

/**
 * Why a counter has no answer although its key arrived: its series is behind the log, is kept for less than the window,
 * adds up to more than an int is, or is not kept; or the evaluation is imported.
 */
export const counterReasons = ['behind', 'warming', 'too_large', 'not_kept', 'imported'] as const
export type CounterReason = (typeof counterReasons)[number]

/** Why a call has no answer: what it was asked for has no form that it reads, or nothing is known of it. */
export const unansweredReasons = ['not_readable', 'not_known', ...counterReasons] as const
export type UnansweredReason = (typeof unansweredReasons)[number]

/** The calls that were asked and have no answer, by name. */
export type Unanswered = ReadonlyMap<string, UnansweredReason>

export function isCounterReason(reason: UnansweredReason): reason is CounterReason {
  return counterReasons.some((one) => one === reason)
}

/** The answer of a counter. */
export type CounterAnswer =
  | { readonly value: number; readonly left_out?: number }
  | { readonly reason: CounterReason }

/** A signal as it was sent that does not count. */
export const notCountedFields = {
  value: { type: ['string', 'boolean'], description: 'The value as sent; never empty.' },
  source: { type: 'string', enum: ['request', 'dispatch'] },
  reason: {
    type: 'string',
    enum: notCountedReasons,
    description:
      'needs_dispatch: signals of the device and the network count only with a dispatch. dispatch_value_wins: the dispatch brought another value. trusted_user_not_agreed: the operator has not agreed is_trusted_user with the account. front_end_cannot_vouch: the caller’s own word counts from the request alone. address_not_public: a private, loopback or link-local address. unknown_field: the service knows no field of this name.',
  },
} as const

export interface NotCounted extends ObjectOf<typeof notCountedFields> {
  /** As rules name it: `signal.ip`; of an unknown field its path: `signals.exising_user`. */
  readonly name: string
}
export type NotCountedReason = NotCounted['reason']

export interface ListAnswer {
  readonly listed: boolean
  /** Log position up to which the list was read; absent without any lists, and for what is only tried. */
  readonly revision?: number
}

export interface ListAnswers {
  readonly allow: ListAnswer
  readonly block: ListAnswer
}
