import { describe, expect, test } from 'vitest'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import type { ServiceState } from '../../src/metrics/stateGauges.ts'
import { readSamples, sampleOf } from './exposition.ts'

const keysReady = () => 77

const state: ServiceState = {
  stores: { events: 'ok', documents: 'failing' },
  projections: [
    { name: 'flows', version: 2, position: 5, lag_seconds: 3.5, status: 'catching_up', parked: 1 },
  ],
  leaseStatus: { isOwner: true, fence: 3, isRunning: true },
}

describe('requests', () => {
  test('that were refused are counted by reason, every reason from the start', async () => {
    const { requests, text } = openMetrics()

    requests.countRefusal('busy')
    const seen = await text()

    const refused = (reason: string) =>
      sampleOf(seen, 'vigil_http_requests_refused_total', { reason })
    expect([refused('busy'), refused('rate_limited'), refused('too_slow')]).toEqual([1, 0, 0])
  })
})

describe('evaluations', () => {
  test('that were sent unknown fields are counted by account, of a thousand accounts', async () => {
    const { evaluated, text } = openMetrics()
    const pass = { flow_id: 'flo_1', verdict: 'PASS', recipes: [] } as const
    const sent = [{ reason: 'unknown_field' }, { reason: 'needs_dispatch' }] as const

    for (let number = 0; number < 1_002; number += 1) evaluated(pass, `acc_${number}`, sent)
    evaluated(pass, 'acc_7', sent)
    const seen = await text()

    const unknown = (account: string) => sampleOf(seen, 'vigil_unknown_fields_total', { account })
    expect([unknown('acc_0'), unknown('acc_7'), unknown('other')]).toEqual([1, 2, 2])
  })

  test('are counted by account and flow, of a thousand flows', async () => {
    const { evaluated, text } = openMetrics()
    const evaluate = (flow: number, verdict: 'PASS' | 'FLAG' = 'PASS') =>
      evaluated({ flow_id: `flo_${flow}`, verdict, recipes: [] }, `acc_${flow}`, [])
    for (let flow = 0; flow < 1_002; flow += 1) evaluate(flow)
    evaluate(7, 'FLAG')
    evaluate(1_001, 'FLAG')
    await text()

    const counted = readSamples(await text()).filter(({ name }) => name === 'vigil_verdicts_total')
    const of = (flow: string) =>
      counted
        .filter(({ labels }) => labels['flow'] === flow)
        .map(({ labels: { account, verdict }, value }) => [account, verdict, value])

    expect(counted).toHaveLength(2_002)
    expect(of('flo_7')).toEqual([
      ['acc_7', 'PASS', 1],
      ['acc_7', 'FLAG', 1],
    ])
    expect(of('other')).toEqual([
      ['other', 'PASS', 2],
      ['other', 'FLAG', 1],
    ])
  })

  test('of a flow that is new are an increase from 0 at the next scrape, also of a verdict that comes later', async () => {
    const { evaluated, text } = openMetrics()
    expect(await text()).not.toContain('flo_1')

    evaluated({ flow_id: 'flo_1', verdict: 'FLAG', recipes: [] }, 'acc_1', [])
    const first = await text()
    const next = await text()

    const seen = (scraped: string) =>
      ['PASS', 'FLAG'].map((verdict) =>
        sampleOf(scraped, 'vigil_verdicts_total', { flow: 'flo_1', verdict }),
      )
    expect([seen(first), seen(next)]).toEqual([
      [0, 0],
      [0, 1],
    ])
  })
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
    let leaseStatus: ServiceState['leaseStatus'] = state.leaseStatus
    watch({ state: async () => ({ ...state, leaseStatus }), keysReady })
    const seen = async () => {
      const asked = await text()
      return ['held', 'heard', 'fence'].map((name) => sampleOf(asked, `vigil_projections_${name}`))
    }

    expect(await seen()).toEqual([1, 1, 3])
    leaseStatus = { isOwner: false, fence: undefined, isRunning: false }
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

  first.requests.countStart()

  expect(sampleOf(await second.text(), 'vigil_http_requests_in_flight')).toBe(0)
})

test('memory and the delay of the event loop are those of the process', async () => {
  const { text } = openMetrics({ ofProcess: true })

  const seen = await text()

  expect(sampleOf(seen, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  expect(sampleOf(seen, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
})
