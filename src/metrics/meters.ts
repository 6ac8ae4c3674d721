/** Counts domain metrics: damage, dispatches, reports, passwords, sessions, commits, keys. */

import { Counter, Histogram, type Registry } from 'prom-client'
import type { Confidence, FeedbackType } from '../domain/evaluation/feedback.ts'
import { openGauge, openLabeledCounter } from './instruments.ts'

/** Counts reads that failed because a store is damaged. */
export const damageCounter = {
  name: 'vigil_store_damaged_total',
  help: 'Questions to a store that could not be answered because it is damaged.',
  label: 'store',
  values: ['events', 'documents', 'keys'],
} as const

export type DamagedStore = (typeof damageCounter.values)[number]

/** Counts each dispatch of a front end once; the outcomes are explained in the guide of operations. */
export const dispatchCounter = {
  name: 'vigil_dispatches_total',
  help: 'Dispatches that front ends have sent.',
  label: 'outcome',
  values: ['recorded', 'repeated', 'conflict', 'invalid', 'refused_key', 'rate_limited', 'failed'],
} as const

export type DispatchOutcome = (typeof dispatchCounter.values)[number]

/** Counts sealing keys that a record needed and that could not be read. */
export const unreadableKeyCounter = {
  name: 'vigil_sealing_keys_unreadable_total',
  help: 'Keys that a record needed and that are lost or damaged; one that was destroyed does not count.',
  label: 'reason',
  values: ['missing', 'damaged'],
} as const

/** Opens the counters of recorded feedback and reported events. */
export function openReportMeter(registry: Registry) {
  const feedback = openLabeledCounter<FeedbackType>(registry, {
    name: 'vigil_feedback_total',
    help: 'Feedback recorded.',
    label: 'type',
  })
  const events = openLabeledCounter<Confidence>(registry, {
    name: 'vigil_reported_events_total',
    help: 'Events that callers reported, recorded.',
    label: 'confidence',
  })
  return {
    countFeedback: (received: readonly { readonly type: FeedbackType }[]): void => {
      for (const { type } of received) feedback(type)
    },
    countEvents: (received: readonly { readonly confidence: Confidence }[]): void => {
      for (const { confidence } of received) events(confidence)
    },
  }
}

/** Opens the counters of password hashes, changes and checks; no label names a user. */
export function openPasswordMeter(registry: Registry) {
  const hashes = new Counter({
    name: 'vigil_password_hashes_total',
    help: 'Hashes of passwords computed.',
    registers: [registry],
  })
  return {
    countHash: (): void => hashes.inc(),
    /**
     * Why no hash was computed: too many for the user or session, the account's share in use, all hashing capacity in
     * use, or a wait longer than the limit.
     */
    countRefusal: openLabeledCounter(registry, {
      name: 'vigil_password_hashes_refused_total',
      help: 'Hashes of passwords that were not computed because there were too many.',
      label: 'reason',
      values: ['rate_limited', 'account_busy', 'busy', 'too_slow'],
    }),
    /** Sets the function that tells how many hashes wait to be computed. */
    watchQueue: openGauge(registry, {
      name: 'vigil_password_hashes_waiting',
      help: 'Hashes of passwords that wait to be computed.',
    }),
    countChange: openLabeledCounter(registry, {
      name: 'vigil_password_changes_total',
      help: 'Passwords changed.',
      label: 'by',
      values: ['user', 'account', 'rehash'],
    }),
    countCheck: openLabeledCounter(registry, {
      name: 'vigil_password_checks_total',
      help: 'Passwords that callers have asked about.',
      label: 'result',
      values: ['valid', 'invalid'],
    }),
  }
}

/**
 * `migrated`: a session was started. `refused`: the customer's service rejected the legacy session. `unconfigured`: no
 * URL is set. `failed`: the answer broke the contract, or there was none. `paused`: calls to the customer's service are
 * suspended. `conflict`: the answer names several users, or another request was first. `crowded`: too many calls of the
 * customer, or of all, are under way. `faulted`: the service failed itself.
 */
const migrationCounter = {
  name: 'vigil_session_migrations_total',
  help: 'Legacy sessions that were presented to become sessions.',
  label: 'result',
  values: [
    'migrated',
    'refused',
    'unconfigured',
    'failed',
    'paused',
    'conflict',
    'crowded',
    'faulted',
  ],
} as const

export type MigrationResult = (typeof migrationCounter.values)[number]

/** Opens the counters of session refreshes and migrations; no label names a user. */
export function openSessionMeter(registry: Registry) {
  return {
    /**
     * `refreshed`: a new token was issued. `repeated`: the same answer was given again. `reused`: the token had been
     * used before, and its session was revoked. `expired`: the session is older than the application now allows.
     */
    countRefresh: openLabeledCounter(registry, {
      name: 'vigil_session_refreshes_total',
      help: 'Refresh tokens of sessions that were presented with a good proof.',
      label: 'result',
      values: ['refreshed', 'repeated', 'reused', 'expired'],
    }),
    countMigration: openLabeledCounter(registry, migrationCounter),
  }
}

/** Opens the histograms and counters of commits of the log. */
export function openCommitMeter(registry: Registry) {
  const registers = [registry]
  const batches = new Histogram({
    name: 'vigil_append_batch_appends',
    help: 'Appends that shared one commit of the log.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    registers,
  })
  const durations = new Histogram({
    name: 'vigil_append_commit_duration_seconds',
    help: 'From handing a batch of appends to the writer to its being on disk.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })
  const events = new Counter({
    name: 'vigil_events_appended_total',
    help: 'Events written to the log.',
    registers,
  })
  const bytes = new Counter({
    name: 'vigil_event_bytes_appended_total',
    help: 'Length of the events written to the log, metadata included.',
    registers,
  })
  return (committed: Readonly<Record<'appends' | 'events' | 'bytes' | 'durationMs', number>>) => {
    batches.observe(committed.appends)
    durations.observe(committed.durationMs / 1_000)
    events.inc(committed.events)
    bytes.inc(committed.bytes)
  }
}
