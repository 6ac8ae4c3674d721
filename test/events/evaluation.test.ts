/** Evaluations of every shape, into the log and back. */

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { notCountedReasons, unansweredReasons } from '../../src/engine/run/evidence.ts'
import { missingReasons } from '../../src/engine/run/missingNames.ts'
import { decode, encode, openEvent } from '../../src/events/catalogue.ts'
import type { EvaluationToRecord } from '../../src/events/evaluation/evaluationEvents.ts'
import type { EventContext } from '../../src/events/recording/event.ts'
import type { PooledKeyring } from '../../src/stores/keys/keyring.ts'
import { draws } from '../support/draws.ts'
import { sampleKeyring } from './samples.ts'

let keyring: PooledKeyring
beforeAll(async () => {
  keyring = await sampleKeyring('text of evaluations')
})
afterAll(() => keyring.close())

const unit = 'grapheme' as const
const word = fc.string({ unit, minLength: 1, maxLength: 12 })
const letters = (from: string) =>
  fc.array(fc.constantFrom(...from), { maxLength: 70 }).map((some) => some.join(''))
const digest = fc.base64String({ minLength: 4, maxLength: 24 }).map((text) => text.slice(0, 22))
const scalar = fc.oneof(word, fc.boolean(), fc.integer())
const verdict = fc.constantFrom('PASS' as const, 'FLAG' as const)
const names = fc.array(word, { maxLength: 4 })
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })

const evidence = fc.record(
  {
    dispatch_id: word,
    correlation_id: word,
    values: fc.array(scalar, { maxLength: 20 }),
    unnamed_ext: fc.array(fc.tuple(word, scalar), { maxLength: 4 }),
    lists: fc.array(fc.tuple(word, fc.nat()), { maxLength: 3 }),
    not_counted: fc.array(
      fc.tuple(
        word,
        fc.oneof(word, fc.boolean()),
        fc.constantFrom('request' as const, 'dispatch' as const),
        fc.constantFrom(...notCountedReasons),
      ),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: ['values'] },
)
const recipe = fc.record(
  {
    recipe_id: word,
    score: fc.integer({ min: 0, max: 100 }),
    verdict,
    determined_by: word,
    outcomes: letters('TNMUS'),
    skipped: fc.constantFrom('T', 'NMU'),
    blocked_by: fc.array(fc.array(fc.integer()), { maxLength: 5 }),
  },
  { requiredKeys: ['recipe_id', 'score', 'verdict', 'outcomes'] },
)
const missing = fc.array(fc.tuple(word, fc.constantFrom(...missingReasons)), { maxLength: 3 })
const unanswered = fc.array(fc.tuple(word, fc.constantFrom(...unansweredReasons)), { maxLength: 3 })
const target = fc.constantFrom(
  { phone_number: '+33612345678' },
  { email_address: 'ann@example.com' },
  { phone_number: '+33612345679', email_address: 'o"ann\\é@example.com' },
)
const evaluation: fc.Arbitrary<EvaluationToRecord> = fc
  .record({
    ids: fc.record({
      evaluation_id: digest,
      flow_id: word,
      flow_version_id: word,
      plan: digest,
      semantics: fc.integer({ min: 1, max: 9 }),
      dispatch: fc.constantFrom('none' as const, 'found' as const, 'expired' as const),
    }),
    target,
    evidence,
    arrived: fc.record(
      { request: names, ext: names, list: names, call: names, unanswered },
      { requiredKeys: [] },
    ),
    facts: fc.record(
      {
        counted: fc.record({ ip: digest, mailbox: digest }, { requiredKeys: [] }),
        sent: fc.record({ device: digest, ja4: digest }, { requiredKeys: [] }),
        correlation: digest,
        prediction: fc.constant(true as const),
        occurred_at: fc.nat(),
        imported: fc.constant(true as const),
        missing,
        missing_managed: missing,
      },
      { requiredKeys: [] },
    ),
    outcome: fc.record({
      as_of: fc.nat(),
      verdict,
      recipes: fc.array(recipe, { maxLength: 3 }),
      result_hash: digest,
    }),
    request_digest: optional(digest),
  })
  .map(({ ids, target: of, evidence: recorded, arrived, facts, outcome, request_digest }) => ({
    ...{ ...ids, ...of, evidence: recorded, arrived, ...facts, ...outcome },
    ...(request_digest !== undefined && { request_digest }),
  }))

const context: fc.Arbitrary<EventContext> = fc.record(
  {
    // each subject of each account takes one of the few keys of the sample
    account: fc.constantFrom('acc_a', 'acc_b'),
    actor: word,
    request: fc.string({ unit, maxLength: 20 }),
    command: fc.uuid(),
    digest,
    causation: word,
    time: fc.nat(),
  },
  { requiredKeys: ['account', 'actor', 'request', 'command', 'time'] },
)

test('an evaluation comes back from its text as it went in', () =>
  fc.assert(
    fc.asyncProperty(evaluation, context, async (data, of) => {
      const event = { type: 'FlowEvaluated', data }
      const encoded = encode({ event, context: of, index: 0 }, keyring)

      const decoded = decode({ ...encoded, stream: 'evaluation-1', revision: 0, position: 9 })

      expect((await openEvent(decoded, keyring)).event.data).toEqual(data)
    }),
    { numRuns: draws(100) },
  ))
