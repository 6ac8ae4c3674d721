import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { parseEvaluationBody } from '../../src/http/evaluation/evaluationBody.ts'

const target = { phone_number: '+15551234567' }

/** The invalid paths of a body; empty when it is accepted. */
const refused = (body: unknown): readonly string[] => {
  try {
    parseEvaluationBody(body)
    return []
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return (error.details ?? []).map(({ path }) => path)
  }
}

describe('the target', () => {
  test.each([
    ['a phone number', { phone_number: '+1 555 123 4567' }, { phone_number: '+15551234567' }],
    ['an address', { email_address: 'Ann@Example.COM' }, { email_address: 'ann@example.com' }],
    [
      'a phone number as type and value',
      { type: 'phone_number', value: '+15551234567' },
      { phone_number: '+15551234567' },
    ],
    [
      'an address as type and value',
      { type: 'email_address', value: 'Ann@example.com' },
      { email_address: 'ann@example.com' },
    ],
    [
      'both forms, where the explicit field wins',
      { phone_number: '+15551234567', type: 'phone_number', value: '+15559999999' },
      { phone_number: '+15551234567' },
    ],
    [
      'both forms, where each fills one half',
      { phone_number: '+15551234567', type: 'email_address', value: 'ann@example.com' },
      { phone_number: '+15551234567', email_address: 'ann@example.com' },
    ],
  ])('may be %s', (_what, given, canonical) => {
    const input = parseEvaluationBody({ flow_id: 'flo_1', target: given })

    expect(input.target).toEqual(canonical)
  })

  test.each([
    ['nothing', {}, 'target'],
    ['only a type', { type: 'phone_number' }, 'target'],
    ['only a value', { value: '+15551234567' }, 'target'],
    ['an unknown type', { type: 'name', value: 'Ann' }, 'target.type'],
    ['an empty phone number', { phone_number: '' }, 'target.phone_number'],
    ['an empty address', { email_address: '' }, 'target.email_address'],
    ['a number', { phone_number: 15_551_234_567 }, 'target.phone_number'],
    ['null', { email_address: null }, 'target.email_address'],
    ['a bad value', { type: 'phone_number', value: 'Ann' }, 'target.value'],
    ['a text', '+15551234567', 'target'],
    ['a list', [target], 'target'],
  ])('must not be %s', (_what, given, path) => {
    expect(refused({ flow_id: 'flo_1', target: given })).toEqual([path])
  })
})

describe('signals', () => {
  test('are handed on as they came, the address in canonical form', () => {
    const signals = {
      ip: '2001:DB8:0:0::1',
      device_id: 'd-1',
      device_platform: 'ios',
      device_model: 'iPhone',
      os_version: '18',
      app_version: '2.0',
      user_agent: 'Mozilla/5.0',
      ja4_fingerprint: 't13d',
      is_trusted_user: false,
      existing_user: true,
      ext: { cart: '12' },
    }

    const input = parseEvaluationBody({ flow_id: 'flo_1', target, signals })

    expect(input.signals).toEqual({ ...signals, ip: '2001:db8::1' })
  })

  test('that are empty were not sent', () => {
    const signals = { ip: '', device_platform: '', user_agent: '', ext: { cart: '', plan: 'free' } }

    const input = parseEvaluationBody({ flow_id: 'flo_1', target, signals })

    expect(input.signals).toEqual({ ext: { plan: 'free' } })
  })

  test.each([
    ['no address', { ip: 'localhost' }, ['signals.ip']],
    ['a platform that does not exist', { device_platform: 'IOS' }, ['signals.device_platform']],
    ['a text for a truth', { existing_user: 'true' }, ['signals.existing_user']],
    ['a list in ext', { ext: { 'cart.total': [12] } }, ['signals.ext.cart.total']],
    ['an object in ext', { ext: { cart: { total: 12 } } }, ['signals.ext.cart']],
    [
      'a number beyond what is exact',
      { ext: { n: 2 ** 53, m: -(2 ** 53) } },
      ['signals.ext.n', 'signals.ext.m'],
    ],
    ['a number that is not finite', { ext: JSON.parse('{"n":1e400}') }, ['signals.ext.n']],
    ['an empty name in ext', { ext: { '': 'x' } }, ['signals.ext.']],
    ['a very long text', { user_agent: 'x'.repeat(8_193) }, ['signals.user_agent']],
  ])('must not be %s', (_what, signals, paths) => {
    expect(refused({ flow_id: 'flo_1', target, signals })).toEqual(paths)
  })

  test('under ext may be numbers, true or false, kept as their text', () => {
    const ext = JSON.parse(
      '{"cart":900.50,"items":-0.0,"most":9007199254740991,"tiny":1e-7,"gift":true,"no":false}',
    )

    expect(
      parseEvaluationBody({ flow_id: 'flo_1', target, signals: { ext } }).signals?.ext,
    ).toEqual({
      cart: '900.5',
      items: '0',
      most: '9007199254740991',
      tiny: '1e-7',
      gift: 'true',
      no: 'false',
    })
  })

  test('are at most 200 under ext', () => {
    const ext = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))

    expect(refused({ flow_id: 'flo_1', target, signals: { ext: ext(200) } })).toEqual([])
    expect(refused({ flow_id: 'flo_1', target, signals: { ext: ext(201) } })).toEqual([
      'signals.ext',
    ])
  })

  test('may have names of the prototype without touching it', () => {
    const ext = JSON.parse('{"__proto__":"x","constructor":"y","toString":"z"}')

    const input = parseEvaluationBody({ flow_id: 'flo_1', target, signals: { ext } })

    expect(Object.entries(input.signals?.ext ?? {})).toEqual([
      ['constructor', 'y'],
      ['toString', 'z'],
    ])
    expect(Object.getPrototypeOf(input.signals?.ext ?? {})).toBe(Object.prototype)
  })
})

describe('attributes', () => {
  test('are another name for ext, which wins unless it is empty', () => {
    const body = {
      flow_id: 'flo_1',
      target,
      attributes: { cart: '1', plan: 'free', empty: '' },
      signals: { ext: { cart: '2', plan: '' } },
    }

    expect(parseEvaluationBody(body).signals?.ext).toEqual({ cart: '2', plan: 'free' })
  })

  test('take what ext takes', () => {
    expect(refused({ flow_id: 'flo_1', target, attributes: { cart: null } })).toEqual([
      'attributes.cart',
    ])
  })
})

test('a dispatch id has 36 characters, whatever they are', () => {
  const withDispatch = (dispatch_id: string) => ({ flow_id: 'flo_1', target, dispatch_id })

  expect(parseEvaluationBody(withDispatch('é'.repeat(36))).dispatch_id).toBe('é'.repeat(36))
  expect(refused(withDispatch('x'.repeat(35)))).toEqual(['dispatch_id'])
  expect(refused(withDispatch('x'.repeat(37)))).toEqual(['dispatch_id'])
  expect(refused(withDispatch(''))).toEqual(['dispatch_id'])
})

test.each([[undefined], [null], ['text'], [7], [[]]])('%j is not a request', (body) => {
  expect(refused(body)).toEqual([''])
})

test('an answer names at most a hundred problems', () => {
  const ext = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, null]))

  const paths = refused({ flow_id: 'flo_1', target, signals: { ext } })

  expect(paths).toHaveLength(100)
})

test('whatever is sent is accepted or refused with at least one path, each once', () =>
  fc.assert(
    fc.property(fc.anything(), fc.anything(), fc.anything(), (given, signals, attributes) => {
      const bodies = [given, { flow_id: 'flo_1', target: given, signals, attributes }]
      for (const body of bodies) {
        const paths = refused(body)
        expect(new Set(paths).size).toBe(paths.length)
      }
    }),
  ))

test('what is accepted has a target, and nothing empty', () => {
  const orNone = (value: string) => fc.constantFrom('', value, value)
  const ext = fc.dictionary(fc.constantFrom('x', 'y'), orNone('z'))
  const body = fc.record(
    {
      flow_id: fc.constant('flo_1'),
      target: fc.record({
        phone_number: orNone('+15551234567'),
        email_address: orNone('a@b.example'),
      }),
      signals: fc.record({ ip: orNone('203.0.113.7'), device_platform: orNone('ios'), ext }),
      attributes: ext,
    },
    { requiredKeys: ['flow_id', 'target'] },
  )
  let accepted = 0

  fc.assert(
    fc.property(body, (given) => {
      if (refused(given).length > 0) return
      const { target: read, signals } = parseEvaluationBody(given)
      accepted += 1
      const texts = [...Object.values(read), signals?.ip, ...Object.values(signals?.ext ?? {})]

      expect(Object.keys(read).length).toBeGreaterThan(0)
      expect(texts).not.toContain('')
    }),
  )
  expect(accepted).toBeGreaterThan(10)
})
