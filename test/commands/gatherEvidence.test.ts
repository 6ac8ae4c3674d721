import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callerSignals, deviceSignals, type Signals } from '../../src/domain/signals/signals.ts'
import { readableNames } from '../../src/engine/language/readableNames.ts'
import { type EvidenceInput, gatherEvidence } from '../../src/state/evaluation/gatherEvidence.ts'

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1'

const target = { phone_number: '+33612345678' }

function gather(change: Partial<EvidenceInput>, reads: readonly string[] = []) {
  const arrived: EvidenceInput = {
    request: { target },
    dispatch: undefined,
    lists: { allow: { listed: false }, block: { listed: true, revision: 7 } },
    isTrustedUserAgreed: false,
    time: 1_760_000_000_000,
    ...change,
  }
  return gatherEvidence(arrived, new Set(reads))
}

describe('the user agent', () => {
  const reads = ['signal.device_platform', 'signal.os_version']

  test('fills in what nobody said and some rule reads', () => {
    const { evidence } = gather({ dispatch: { user_agent: iphone } }, reads)

    expect(evidence.get('signal.device_platform')).toEqual({ value: 'ios', source: 'user_agent' })
    expect(evidence.get('signal.os_version')?.source).toBe('user_agent')
    expect(evidence.has('signal.device_model')).toBe(false)
  })

  test('does not beat what was said', () => {
    const { evidence } = gather(
      {
        dispatch: { user_agent: iphone },
        request: { target, signals: { device_platform: 'android' } },
      },
      reads,
    )

    expect(evidence.get('signal.device_platform')).toEqual({ value: 'android', source: 'request' })
  })
})

test('an empty text did not arrive', () => {
  const { evidence } = gather({
    dispatch: {},
    request: { target, signals: { ip: '', ext: { a: '' } } },
  })

  expect(evidence.has('signal.ip')).toBe(false)
  expect(evidence.has('signal.ext.a')).toBe(false)
})

test('the omitted half of the target is missing', () => {
  const { evidence } = gather({ request: { target: { email_address: 'ada@example.com' } } })

  expect(evidence.get('target.email_address')?.value).toBe('ada@example.com')
  expect(evidence.has('target.phone_number')).toBe(false)
})

test('the lists and the clock always answer', () => {
  const { evidence } = gather({})

  expect(evidence.get('list.block')).toEqual({ value: true, source: 'list', revision: 7 })
  expect(evidence.get('list.allow')).toEqual({ value: false, source: 'list' })
  expect(evidence.get('request.time')).toEqual({ value: 1_760_000_000_000, source: 'service' })
})

describe('what was sent and does not count is kept apart, with the reason', () => {
  test('the caller’s word out of a front end', () => {
    const { notCounted } = gather({
      dispatch: { existing_user: false, ext: { plan: 'gold', empty: '' } },
      isTrustedUserAgreed: true,
    })

    const claimed = { source: 'dispatch', reason: 'front_end_cannot_vouch' }
    expect(notCounted).toEqual([
      { name: 'signal.existing_user', value: false, ...claimed },
      { name: 'signal.ext.plan', value: 'gold', ...claimed },
    ])
  })
})

describe('whatever is sent', () => {
  const text = fc.constantFrom('', 'a', 'b', iphone)
  const optional = { requiredKeys: [] }
  const sides = fc.record(
    {
      ...Object.fromEntries(deviceSignals.map((name) => [name, text])),
      ...Object.fromEntries(callerSignals.map((name) => [name, fc.boolean()])),
      ext: fc.dictionary(fc.constantFrom('k', 'l', 'm'), text),
    },
    optional,
  ) as fc.Arbitrary<Signals>
  const everything = readableNames.map(({ name }) => name)
  const arrivals = fc.record({
    signals: sides,
    dispatch: fc.option(sides, { nil: undefined }),
    isTrustedUserAgreed: fc.boolean(),
  })

  /** What one side sent, under the names that rules know. */
  const sentBy = (source: 'request' | 'dispatch', { ext = {}, ...signals }: Signals = {}) =>
    [
      ...Object.entries(signals),
      ...Object.entries(ext).map(([key, value]) => [`ext.${key}`, value] as const),
    ]
      .filter(([, value]) => value !== '' && value !== undefined)
      .map(([name, value]) => ({ name: `signal.${name}`, value, source }))

  test('each signal is in the evidence with its value, or once among those that do not count', () => {
    fc.assert(
      fc.property(arrivals, ({ signals, ...arrived }) => {
        const request = { target, signals }
        const { evidence, notCounted } = gather({ request, ...arrived }, everything)

        const sent = [...sentBy('request', signals), ...sentBy('dispatch', arrived.dispatch)]
        const unused = sent.filter(({ name, value }) => evidence.get(name)?.value !== value)
        const left = notCounted.map(({ reason: _, ...signal }) => signal)
        expect(new Set(left.map(textOf))).toEqual(new Set(unused.map(textOf)))
        expect(left).toHaveLength(unused.length)
      }),
    )
  })

  test('the evidence holds what its source sent, and nothing that does not count', () => {
    fc.assert(
      fc.property(arrivals, ({ signals, ...arrived }) => {
        const request = { target, signals }
        const { evidence, notCounted } = gather({ request, ...arrived }, everything)

        const sent = new Set(
          [...sentBy('request', signals), ...sentBy('dispatch', arrived.dispatch)].map(textOf),
        )
        for (const [name, { value, source }] of evidence) {
          const isSignal = name.startsWith('signal.') && source !== 'user_agent'
          if (isSignal) expect(sent).toContain(textOf({ name, value, source }))
        }
        for (const { name, value } of notCounted) {
          expect(evidence.get(name)?.value).not.toBe(value)
        }
      }),
    )
  })

  test('each reason is given where it holds, and nowhere else', () => {
    fc.assert(
      fc.property(arrivals, ({ signals, ...arrived }) => {
        const request = { target, signals }
        const { evidence, notCounted } = gather({ request, ...arrived }, everything)

        const holds = {
          needs_dispatch: () => arrived.dispatch === undefined,
          dispatch_value_wins: (name: string) => evidence.get(name)?.source === 'dispatch',
          trusted_user_not_agreed: (name: string) =>
            name === 'signal.is_trusted_user' && !arrived.isTrustedUserAgreed,
          front_end_cannot_vouch: (name: string) =>
            !deviceSignals.some((signal) => name === `signal.${signal}`),
          // whoever reads the request finds these
          address_not_public: () => false,
          unknown_field: () => false,
        }
        for (const { name, source, reason } of notCounted) {
          expect(holds[reason](name)).toBe(true)
          expect(source === 'dispatch').toBe(reason === 'front_end_cannot_vouch')
        }
      }),
    )
  })
})

function textOf({ name, value, source }: { name: string; value: unknown; source: string }): string {
  return JSON.stringify([name, value, source])
}
