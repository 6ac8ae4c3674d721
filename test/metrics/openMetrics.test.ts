import { describe, expect, test } from 'vitest'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import type { ServiceState } from '../../src/metrics/stateGauges.ts'
import { readSamples, sampleOf } from './exposition.ts'

const request = { method: 'POST', route: '/v2/watch/eval', status: 200, seconds: 0.004 }

const keysReady = () => 77

const state: ServiceState = {
  stores: { events: 'ok', documents: 'failing' },
  projections: [
    { name: 'flows', version: 2, position: 5, lag_seconds: 3.5, status: 'catching_up', parked: 1 },
  ],
  holding: { held: true, fence: 3, heard: true },
}

describe('requests', () => {
  test('are counted by method, route and status', async () => {
    const { requests, text } = openMetrics()

    for (const status of [200, 200, 400]) {
      requests.begun()
      requests.answered({ ...request, status })
    }
    const seen = await text()

    const { method, route } = request
    const count = (status: string) =>
      sampleOf(seen, 'vigil_http_requests_total', { method, route, status })
    expect([count('200'), count('400'), count('500')]).toEqual([2, 1, undefined])
  })

  test('are measured by method and route', async () => {
    const { requests, text } = openMetrics()

    for (const seconds of [0.004, 0.006, 20]) requests.answered({ ...request, seconds })
    const seen = await text()

    const bucket = (le: string) =>
      sampleOf(seen, 'vigil_http_request_duration_seconds_bucket', { route: request.route, le })
    expect([bucket('0.0025'), bucket('0.005'), bucket('10'), bucket('+Inf')]).toEqual([0, 1, 2, 3])
    expect(sampleOf(seen, 'vigil_http_request_duration_seconds_sum')).toBeCloseTo(20.01)
  })

  test('that no route took are one series, whatever their method and path were', async () => {
    const { requests, text } = openMetrics()

    for (const method of ['GET', 'PROPFIND', 'MKCOL']) {
      requests.answered({ method, route: undefined, status: 404, seconds: 0.001 })
    }
    const seen = await text()

    const series = readSamples(seen).filter(({ name }) => name === 'vigil_http_requests_total')
    expect(series.map(({ labels, value }) => [labels, value])).toEqual([
      [{ method: 'any', route: 'none', status: '404' }, 3],
    ])
  })

  test('in flight are those that began and were not answered', async () => {
    const { requests, text } = openMetrics()

    requests.begun()
    requests.begun()
    requests.answered(request)

    expect(sampleOf(await text(), 'vigil_http_requests_in_flight')).toBe(1)
  })

  test('that were refused are counted by reason, every reason from the start', async () => {
    const { requests, text } = openMetrics()

    requests.refused('busy')
    const seen = await text()

    const refused = (reason: string) =>
      sampleOf(seen, 'vigil_http_requests_refused_total', { reason })
    expect([refused('busy'), refused('rate_limited'), refused('too_slow')]).toEqual([1, 0, 0])
  })
})

describe('evaluations', () => {
  test('are counted by verdict, their rules by outcome, shadow recipes included', async () => {
    const { evaluated, text } = openMetrics()

    const recipes = [
      { outcomes: 'TTNMS', blocked_by: ['signal.ip'] },
      { outcomes: 'U', blocked_by: [] },
    ]
    evaluated({ verdict: 'FLAG', recipes }, 'acc_1', [])
    const seen = await text()

    const verdict = (name: string) => sampleOf(seen, 'vigil_evaluations_total', { verdict: name })
    expect([verdict('FLAG'), verdict('PASS')]).toEqual([1, 0])
    const outcomes = readSamples(seen).filter(({ name }) => name === 'vigil_rule_results_total')
    expect(
      Object.fromEntries(outcomes.map(({ labels, value }) => [labels['outcome'], value])),
    ).toEqual({ TRIGGERED: 2, NOT_TRIGGERED: 1, NOT_EVALUATED: 1, UNAVAILABLE: 1, SKIPPED: 1 })
  })

  test('that were sent unknown fields are counted by account, of a thousand accounts', async () => {
    const { evaluated, text } = openMetrics()
    const pass = { verdict: 'PASS', recipes: [] } as const
    const sent = [{ reason: 'unknown_field' }, { reason: 'needs_dispatch' }] as const

    for (let number = 0; number < 1_002; number += 1) evaluated(pass, `acc_${number}`, sent)
    evaluated(pass, 'acc_7', sent)
    const seen = await text()

    const unknown = (account: string) => sampleOf(seen, 'vigil_unknown_fields_total', { account })
    expect([unknown('acc_0'), unknown('acc_7'), unknown('other')]).toEqual([1, 2, 2])
  })

  test('that wait for something are counted by signal, without a series for each ext key', async () => {
    const { evaluated, text } = openMetrics()
    const before = readSamples(await text()).length

    const blocked_by = ['signal.ip', 'signal.ext.a', 'signal.ext.b', 'param.x', 'signal.extra']
    evaluated({ verdict: 'PASS', recipes: [{ outcomes: 'MMMMM', blocked_by }] }, 'acc_1', [])
    const seen = await text()

    const waiting = (signal: string) =>
      sampleOf(seen, 'vigil_rules_not_evaluated_total', { signal })
    expect([waiting('signal.ip'), waiting('signal.ext'), waiting('other')]).toEqual([1, 2, 2])
    expect(readSamples(seen)).toHaveLength(before)
  })
})

test('commits of the log are counted with their size and duration', async () => {
  const { committed, text } = openMetrics()

  committed({ appends: 3, events: 5, bytes: 700, durationMs: 4 })
  committed({ appends: 1, events: 1, bytes: 100, durationMs: 4_000 })
  const seen = await text()

  expect(sampleOf(seen, 'vigil_append_batch_appends_bucket', { le: '1' })).toBe(1)
  expect(sampleOf(seen, 'vigil_append_batch_appends_sum')).toBe(4)
  expect(sampleOf(seen, 'vigil_append_commit_duration_seconds_bucket', { le: '0.005' })).toBe(1)
  expect(sampleOf(seen, 'vigil_events_appended_total')).toBe(6)
  expect(sampleOf(seen, 'vigil_event_bytes_appended_total')).toBe(800)
})

describe('the state of the service', () => {
  test('is asked for when the metrics are', async () => {
    const { watch, text } = openMetrics()

    watch({ state: async () => state, keysReady })
    const seen = await text()

    const flows = { projection: 'flows', version: '2' }
    expect(sampleOf(seen, 'vigil_store_up', { store: 'events' })).toBe(1)
    expect(sampleOf(seen, 'vigil_store_up', { store: 'documents' })).toBe(0)
    expect(sampleOf(seen, 'vigil_sealing_keys_ready')).toBe(77)
    expect(sampleOf(seen, 'vigil_projection_lag_seconds', flows)).toBe(3.5)
    expect(sampleOf(seen, 'vigil_projection_position', flows)).toBe(5)
    expect(sampleOf(seen, 'vigil_projection_parked_events', flows)).toBe(1)
    expect(sampleOf(seen, 'vigil_projection_live', flows)).toBe(0)
    expect(sampleOf(seen, 'vigil_projection_failing', flows)).toBe(0)
  })

  test('does not go on showing a version of a projection that is gone', async () => {
    const { watch, text } = openMetrics()
    let projections = state.projections
    watch({ state: async () => ({ ...state, projections }), keysReady })
    await text()

    projections = projections.map((one) => ({ ...one, version: 3 }))
    const versions = readSamples(await text())
      .filter(({ name }) => name === 'vigil_projection_live')
      .map(({ labels }) => labels['version'])

    expect(versions).toEqual(['3'])
  })

  test('tells whether the projections run here or anywhere, and under which lease', async () => {
    const { watch, text } = openMetrics()
    let holding: ServiceState['holding'] = state.holding
    watch({ state: async () => ({ ...state, holding }), keysReady })
    const seen = async () => {
      const asked = await text()
      return ['held', 'heard', 'fence'].map((name) => sampleOf(asked, `vigil_projections_${name}`))
    }

    expect(await seen()).toEqual([1, 1, 3])
    holding = { held: false, fence: undefined, heard: false }
    expect(await seen()).toEqual([0, 0, 0])
  })

  test('is asked for once by those who ask at the same time', async () => {
    const { watch, text } = openMetrics()
    let asked = 0
    watch({
      state: async () => {
        asked += 1
        return state
      },
      keysReady,
    })

    await Promise.all([text(), text(), text()])
    await text()

    expect(asked).toBe(2)
  })
})

test('nothing is shared between two services of one process', async () => {
  const first = openMetrics()
  const second = openMetrics()

  first.requests.begun()

  expect(sampleOf(await second.text(), 'vigil_http_requests_in_flight')).toBe(0)
})

test('memory and the delay of the event loop are those of the process', async () => {
  const { text } = openMetrics({ ofProcess: true })

  const seen = await text()

  expect(sampleOf(seen, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  expect(sampleOf(seen, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
})
