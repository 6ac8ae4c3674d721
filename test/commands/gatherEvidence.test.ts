import { describe, expect, test } from 'vitest'
import { type Arrived, gatherEvidence } from '../../src/commands/evaluation/gatherEvidence.ts'

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1'

function gather(change: Partial<Arrived>, reads: readonly string[] = []) {
  const arrived: Arrived = {
    target: { phone_number: '+33612345678' },
    signals: {},
    dispatch: undefined,
    lists: { allow: false, block: true },
    trustedUserAgreed: false,
    time: 1_760_000_000_000,
    ...change,
  }
  return gatherEvidence(arrived, new Set(reads))
}

describe('device and network signals', () => {
  test('do not count without a dispatch, whatever the request says', () => {
    const evidence = gather({ signals: { ip: '192.0.2.1', device_id: 'd', user_agent: iphone } })

    expect([...evidence.keys()].filter((name) => name.startsWith('signal.'))).toEqual([])
  })

  test('come from the dispatch first, and from the request where it said nothing', () => {
    const evidence = gather({
      dispatch: { ip: '192.0.2.1', device_model: '' },
      signals: { ip: '192.0.2.2', device_model: 'Pixel 8', app_version: '1.0' },
    })

    expect(evidence.get('signal.ip')).toEqual({ value: '192.0.2.1', source: 'dispatch' })
    expect(evidence.get('signal.device_model')).toEqual({ value: 'Pixel 8', source: 'request' })
    expect(evidence.get('signal.app_version')).toEqual({ value: '1.0', source: 'request' })
  })

  test('come from the request alone when the dispatch is unknown', () => {
    const evidence = gather({ dispatch: {}, signals: { ip: '192.0.2.2' } })

    expect(evidence.get('signal.ip')).toEqual({ value: '192.0.2.2', source: 'request' })
  })
})

describe('the user agent', () => {
  const reads = ['signal.device_platform', 'signal.os_version']

  test('fills in what nobody said and some rule reads', () => {
    const evidence = gather({ dispatch: { user_agent: iphone } }, reads)

    expect(evidence.get('signal.device_platform')).toEqual({ value: 'ios', source: 'user_agent' })
    expect(evidence.get('signal.os_version')?.source).toBe('user_agent')
    expect(evidence.has('signal.device_model')).toBe(false)
  })

  test('does not beat what was said', () => {
    const evidence = gather(
      { dispatch: { user_agent: iphone }, signals: { device_platform: 'android' } },
      reads,
    )

    expect(evidence.get('signal.device_platform')).toEqual({ value: 'android', source: 'request' })
  })
})

describe('the caller’s word', () => {
  test('counts without a dispatch', () => {
    const evidence = gather({ signals: { existing_user: false, ext: { cart_total: '12' } } })

    expect(evidence.get('signal.existing_user')).toEqual({ value: false, source: 'request' })
    expect(evidence.get('signal.ext.cart_total')).toEqual({ value: '12', source: 'request' })
  })

  test('is not taken from a front end', () => {
    const evidence = gather({
      dispatch: { existing_user: true, is_trusted_user: true, ext: { plan: 'gold' } },
      trustedUserAgreed: true,
    })

    expect([...evidence.keys()].filter((name) => name.startsWith('signal.'))).toEqual([])
  })

  test('that a user is trusted counts only where it was agreed', () => {
    const signals = { is_trusted_user: true }

    expect(gather({ signals }).has('signal.is_trusted_user')).toBe(false)
    expect(gather({ signals, trustedUserAgreed: true }).has('signal.is_trusted_user')).toBe(true)
  })
})

test('an empty text did not arrive', () => {
  const evidence = gather({ dispatch: {}, signals: { ip: '', ext: { a: '' } } })

  expect(evidence.has('signal.ip')).toBe(false)
  expect(evidence.has('signal.ext.a')).toBe(false)
})

test('the omitted half of the target is missing', () => {
  const evidence = gather({ target: { email_address: 'ada@example.com' } })

  expect(evidence.get('target.email_address')?.value).toBe('ada@example.com')
  expect(evidence.has('target.phone_number')).toBe(false)
})

test('the lists and the clock always answer', () => {
  const evidence = gather({})

  expect(evidence.get('list.block')).toEqual({ value: true, source: 'list' })
  expect(evidence.get('list.allow')).toEqual({ value: false, source: 'list' })
  expect(evidence.get('request.time')).toEqual({ value: 1_760_000_000_000, source: 'service' })
})
