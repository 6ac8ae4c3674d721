import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callerSignals, deviceSignals } from '../../src/domain/signals/signals.ts'
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
    blocked_by: fc.array(name, { maxLength: 4 }),
  })
  const evaluation = fc.record({
    verdict: fc.constantFrom('PASS' as const, 'FLAG' as const),
    recipes: fc.array(recipe, { maxLength: 3 }),
  })
  const evaluations = fc.array(evaluation, { maxLength: 8 })
  const words = {
    T: 'TRIGGERED',
    N: 'NOT_TRIGGERED',
    M: 'NOT_EVALUATED',
    U: 'UNAVAILABLE',
    S: 'SKIPPED',
  }

  /** The series that a name is counted under: no caller can make a new one. */
  function seriesOf(waited: string): string {
    const fixed = [
      ...knownNames,
      'target.phone_number',
      'target.email_address',
      'signal.ext',
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
        expect(byLabel(seen, 'vigil_rule_results_total', 'outcome')).toEqual(
          Object.fromEntries(
            Object.entries(words).map(([letter, word]) => [word, letters.split(letter).length - 1]),
          ),
        )
        const waiting = byLabel(seen, 'vigil_rules_not_evaluated_total', 'signal')
        const waited = recipes.flatMap(({ blocked_by }) => blocked_by.map(seriesOf))
        for (const [series, count] of Object.entries(waiting)) {
          expect([series, count]).toEqual([series, waited.filter((one) => one === series).length])
        }
      }),
      { numRuns: draws(60) },
    ))

  test('make no series that was not there from the start', () =>
    fc.assert(
      fc.asyncProperty(evaluations, async (all) => {
        const { evaluated, text } = openMetrics()
        const keys = (seen: string) =>
          readSamples(seen).map((sample) => [sample.name, ...Object.entries(sample.labels)].join())
        const before = keys(await text())
        for (const one of all) evaluated(one, 'acc_1', [])

        expect(keys(await text())).toEqual(before)
      }),
      { numRuns: draws(40) },
    ))

  test('are counted on, not anew, by those who look twice', async () => {
    const { evaluated, text } = openMetrics()
    const one = {
      verdict: 'PASS',
      recipes: [{ outcomes: 'TM', blocked_by: ['signal.ip'] }],
    } as const
    evaluated(one, 'acc_1', [])
    const first = await text()
    const again = await text()
    evaluated(one, 'acc_1', [])

    expect(again).toBe(first)
    expect(sampleOf(await text(), 'vigil_evaluations_total', { verdict: 'PASS' })).toBe(2)
    expect(sampleOf(await text(), 'vigil_rules_not_evaluated_total', { signal: 'signal.ip' })).toBe(
      2,
    )
  })
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
        for (let more = 0; more < waiting; more += 1) requests.begun()
        for (const one of all) {
          requests.begun()
          requests.answered(one)
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

  test('are in every bucket that is not smaller than they took', () =>
    fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (all) => {
        const { requests, text } = openMetrics()
        for (const one of all) requests.answered(one)

        for (const { labels, value } of named(
          await text(),
          'vigil_http_request_duration_seconds_bucket',
        )) {
          const bound = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le'])
          const those = all.filter(
            ({ method, route, seconds }) =>
              (route === undefined
                ? labels['route'] === 'none'
                : labels['route'] === route && labels['method'] === method) && seconds <= bound,
          )
          expect([labels, value]).toEqual([labels, those.length])
        }
      }),
      { numRuns: draws(30) },
    ))
})

describe('commits of any size', () => {
  const commit = fc.record({
    appends: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2000 })),
    events: fc.integer({ min: 1, max: 5000 }),
    bytes: fc.integer({ min: 1, max: 1_000_000 }),
    durationMs: fc.constantFrom(0, 0.5, 1, 5, 7, 5000, 9000),
  })

  test('add up to what counting them one by one gives', () =>
    fc.assert(
      fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 10 }), async (all) => {
        const { committed, text } = openMetrics()
        for (const one of all) committed(one)
        const seen = await text()

        const sum = (of: (one: (typeof all)[number]) => number) =>
          all.reduce((total, one) => total + of(one), 0)
        expect(sampleOf(seen, 'vigil_events_appended_total')).toBe(sum(({ events }) => events))
        expect(sampleOf(seen, 'vigil_event_bytes_appended_total')).toBe(sum(({ bytes }) => bytes))
        expect(sampleOf(seen, 'vigil_append_batch_appends_count')).toBe(all.length)
        expect(sampleOf(seen, 'vigil_append_batch_appends_sum')).toBe(sum(({ appends }) => appends))
        expect(sampleOf(seen, 'vigil_append_batch_appends_bucket', { le: '1' })).toBe(
          all.filter(({ appends }) => appends === 1).length,
        )
        const within = (ms: number) => all.filter(({ durationMs }) => durationMs <= ms).length
        for (const [le, ms] of [
          ['0.0005', 0.5],
          ['0.005', 5],
          ['5', 5000],
        ] as const) {
          expect(sampleOf(seen, 'vigil_append_commit_duration_seconds_bucket', { le })).toBe(
            within(ms),
          )
        }
      }),
      { numRuns: draws(40) },
    ))
})

test('names of stores and projections stand in the text as they are, whatever characters they have', () =>
  fc.assert(
    fc.asyncProperty(
      fc.string({
        unit: fc.constantFrom('a', '"', '\\', '\n', '{', '}', ',', ' ', 'é'),
        minLength: 1,
        maxLength: 6,
      }),
      async (name) => {
        const { watch, text } = openMetrics()
        watch({
          state: async () => ({
            stores: { events: 'ok' },
            projections: [{ name, version: 1, position: 1, status: 'live', parked: 2 }],
            leaseStatus: { isOwner: false, fence: undefined, isRunning: true },
          }),
          keysReady: () => 1,
        })

        const [parked] = named(await text(), 'vigil_projection_parked_events')

        const escaped = name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
        expect(parked).toEqual({
          name: 'vigil_projection_parked_events',
          labels: { projection: escaped, version: '1' },
          value: 2,
        })
      },
    ),
    { numRuns: draws(60) },
  ))
