import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callerSignals, deviceSignals } from '../../src/domain/signals/signals.ts'
import { missingReasons } from '../../src/engine/run/missingNames.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import { draws } from '../support/draws.ts'
import { readSamples, type Sample, sampleOf } from './exposition.ts'

const named = (text: string, name: string): readonly Sample[] =>
  readSamples(text).filter((sample) => sample.name === name)

/** Values by one label. */
function byLabel(text: string, name: string, label: string): Readonly<Record<string, number>> {
  return Object.fromEntries(named(text, name).map(({ labels, value }) => [labels[label], value]))
}

describe('evaluations of any kind', () => {
  const knownNames = [...deviceSignals, ...callerSignals].map((name) => `signal.${name}`)
  const name = fc.oneof(
    fc.constantFrom(...knownNames, 'target.phone_number', 'target.email_address'),
    fc.constantFrom(
      'signal.ext.a',
      'signal.ext."\n{}',
      'signal.ext.',
      'signal.ext',
      'signal.extra',
      'param.x',
      'other',
      'request.time',
    ),
    fc.string({ maxLength: 6 }),
  )
  const recipe = fc.record({
    outcomes: fc.string({ unit: fc.constantFrom('T', 'N', 'M', 'U', 'S'), maxLength: 12 }),
    // more than rules wait: what follows is of skipped ones
    blocked_by: fc.array(fc.array(fc.integer({ min: -2, max: 3 })), {
      minLength: 12,
      maxLength: 15,
    }),
  })
  const names = fc.array(fc.tuple(name, fc.constantFrom(...missingReasons)), {
    minLength: 4,
    maxLength: 4,
  })
  const evaluation = fc.record({
    flow_id: fc.constantFrom('flo_1', 'flo_2'),
    verdict: fc.constantFrom('PASS' as const, 'FLAG' as const),
    recipes: fc.array(recipe, { maxLength: 3 }),
    missing: names,
    missing_managed: names,
  })
  type Drawn = typeof evaluation extends fc.Arbitrary<infer Value> ? Value : never
  const evaluations = fc.array(evaluation, { maxLength: 8 })
  const words = {
    T: 'TRIGGERED',
    N: 'NOT_TRIGGERED',
    M: 'NOT_EVALUATED',
    U: 'UNAVAILABLE',
    S: 'SKIPPED',
  }

  /** Of rules that were not evaluated, the names that did not arrive as the rules need them. */
  function waitedFor({ recipes, missing, missing_managed: managed }: Drawn): readonly string[] {
    const indexes = recipes.flatMap(({ outcomes, blocked_by }) =>
      blocked_by.slice(0, outcomes.split('M').length - 1).flat(),
    )
    const found = indexes.map((index) => {
      const [named, reason] = (index < 0 ? managed[-1 - index] : missing[index]) ?? expect.fail()
      return { named: index < 0 ? 'missing_data' : named, reason }
    })
    return found.flatMap(({ named, reason }) => (reason === 'function_failed' ? [] : named))
  }

  /** The series that a name is counted under: no caller can make a new one. */
  function seriesOf(waited: string): string {
    const fixed = [
      ...knownNames,
      'target.phone_number',
      'target.email_address',
      'signal.ext',
      'missing_data',
      'other',
    ]
    if (fixed.includes(waited)) return waited
    return waited.startsWith('signal.ext.') ? 'signal.ext' : 'other'
  }

  test('add up to what counting them one by one gives', () =>
    fc.assert(
      fc.asyncProperty(evaluations, async (all) => {
        const { evaluated, text } = openMetrics()
        for (const one of all) evaluated(one, 'acc_1', [])
        const seen = await text()

        const recipes = all.flatMap((one) => one.recipes)
        const letters = recipes.map(({ outcomes }) => outcomes).join('')
        const verdicts = byLabel(seen, 'vigil_evaluations_total', 'verdict')
        expect(verdicts).toEqual({
          PASS: all.filter(({ verdict }) => verdict === 'PASS').length,
          FLAG: all.filter(({ verdict }) => verdict === 'FLAG').length,
        })
        const byFlow = named(await text(), 'vigil_verdicts_total').map(
          ({ labels: { account, flow, verdict }, value }) => [account, flow, verdict, value],
        )
        const count = (flow: string, verdict: string) =>
          all.filter((one) => one.flow_id === flow && one.verdict === verdict).length
        expect(byFlow).toEqual(
          [...new Set(all.map(({ flow_id }) => flow_id))].flatMap((flow) => [
            ['acc_1', flow, 'PASS', count(flow, 'PASS')],
            ['acc_1', flow, 'FLAG', count(flow, 'FLAG')],
          ]),
        )
        expect(byLabel(seen, 'vigil_rule_results_total', 'outcome')).toEqual(
          Object.fromEntries(
            Object.entries(words).map(([letter, word]) => [word, letters.split(letter).length - 1]),
          ),
        )
        const waiting = byLabel(seen, 'vigil_rules_not_evaluated_total', 'signal')
        const waited = all.flatMap((one) => [...new Set(waitedFor(one))].map(seriesOf))
        for (const [series, count] of Object.entries(waiting)) {
          expect([series, count]).toEqual([series, waited.filter((one) => one === series).length])
        }
      }),
      { numRuns: draws(60) },
    ))

  test('make no series that was not there from the start, but those of flows', () =>
    fc.assert(
      fc.asyncProperty(evaluations, async (all) => {
        const { evaluated, text } = openMetrics()
        const keys = (seen: string) =>
          readSamples(seen)
            .filter(({ name }) => name !== 'vigil_verdicts_total')
            .map((sample) => [sample.name, ...Object.entries(sample.labels)].join())
        const before = keys(await text())
        for (const one of all) evaluated(one, 'acc_1', [])

        expect(keys(await text())).toEqual(before)
      }),
      { numRuns: draws(40) },
    ))
})

describe('requests of any kind', () => {
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', 'DELETE'),
    route: fc.option(fc.constantFrom('/v2/watch/eval', '/v2/watch/evaluations/:id'), {
      nil: undefined,
    }),
    status: fc.constantFrom(200, 201, 400, 404, 500),
    seconds: fc.constantFrom(0, 0.001, 0.0011, 0.25, 10, 11),
  })

  test('add up to what counting them one by one gives', () =>
    fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 15 }), fc.nat(3), async (all, waiting) => {
        const { requests, text } = openMetrics()
        for (let more = 0; more < waiting; more += 1) requests.countStart()
        for (const one of all) {
          requests.countStart()
          requests.countAnswer(one)
        }
        const seen = await text()

        const series = all.map(({ method, route, status }) =>
          route === undefined ? `any none ${status}` : `${method} ${route} ${status}`,
        )
        const counted = named(seen, 'vigil_http_requests_total').map(
          ({ labels, value }): [string, number] => [
            `${labels['method']} ${labels['route']} ${labels['status']}`,
            value,
          ],
        )
        expect(new Map(counted)).toEqual(
          new Map(series.map((one) => [one, series.filter((other) => other === one).length])),
        )
        expect(sampleOf(seen, 'vigil_http_requests_in_flight')).toBe(waiting)
        const sums = named(seen, 'vigil_http_request_duration_seconds_sum')
        expect(sums.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(
          all.reduce((sum, { seconds }) => sum + seconds, 0),
        )
      }),
      { numRuns: draws(60) },
    ))
})

test('a commit counts its appends, its events, their bytes and its seconds', async () => {
  const { committed, text } = openMetrics()
  for (const appends of [1, 3]) committed({ appends, events: 5, bytes: 700, durationMs: 40 })
  const seen = await text()

  const names = [
    'vigil_append_batch_appends_count',
    'vigil_append_batch_appends_sum',
    'vigil_events_appended_total',
    'vigil_event_bytes_appended_total',
    'vigil_append_commit_duration_seconds_sum',
  ]
  expect(names.map((name) => sampleOf(seen, name))).toEqual([2, 4, 10, 1_400, 0.08])
})
