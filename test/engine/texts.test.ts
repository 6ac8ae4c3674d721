import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluateEmailDomain } from '../../src/engine/language/operators/domainFunctions.ts'
import { draws } from '../support/draws.ts'
import { outcomeOf } from './support/evaluate.ts'

const unit = fc.constantFrom('a', 'b', 'A', '.', 'é', '\u0301', '😀', '\ue000', '"', '\\')
const text = fc.string({ unit, minLength: 1, maxLength: 6 })
const points = (value: string) => Array.from(value, (char) => char.codePointAt(0) ?? 0)

/** Where the points of one text stand among those of another, tried place by place. */
function placesOf(sought: string, within: string): readonly number[] {
  const [part, whole] = [points(sought), points(within)]
  return Array.from({ length: whole.length - part.length + 1 }, (_, at) => at).filter((at) =>
    part.every((point, offset) => whole[at + offset] === point),
  )
}

describe('a text within another', () => {
  const cases = fc.tuple(text, text, text, fc.boolean()).map(([a, b, c, inside]) => ({
    sought: b,
    whole: inside ? a + b + c : a + c,
  }))

  test('is found where its code points stand in a row', () => {
    fc.assert(
      fc.property(cases, ({ sought, whole }) => {
        const places = placesOf(sought, whole)
        const expected = {
          contains: places.length > 0,
          startsWith: places.includes(0),
          endsWith: places.includes(points(whole).length - points(sought).length),
        }

        for (const [name, found] of Object.entries(expected)) {
          const values = { 'signal.ext.w': whole, 'signal.ext.s': sought }
          const literal = JSON.stringify(sought)
          const rules = [
            `signal.ext.w.${name}(${literal})`,
            `signal.ext.w.${name}(signal.ext.s)`,
            `${JSON.stringify(whole)}.${name}(signal.ext.s)`,
            `(signal.ext.w + "").${name}(${literal} + "")`,
          ]
          expect(rules.map((rule) => outcomeOf(rule, values))).toEqual(
            rules.map(() => String(found)),
          )
        }
      }),
      { numRuns: draws(50) },
    )
  })

  test.each(['contains', 'startsWith', 'endsWith'])('%s finds nothing everywhere', (name) => {
    expect(outcomeOf(`signal.ext.w.${name}("")`, { 'signal.ext.w': 'a' })).toBe('true')
    expect(outcomeOf(`"".${name}("")`)).toBe('true')
    expect(outcomeOf(`"".${name}("a")`)).toBe('false')
  })
})

describe('texts put together', () => {
  test('have the code points of both, in order', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const values = { 'signal.ext.a': a, 'signal.ext.b': b }
        const joined = JSON.stringify(a + b)
        const size = points(a).length + points(b).length

        expect(outcomeOf(`signal.ext.a + signal.ext.b == ${joined}`, values)).toBe('true')
        expect(outcomeOf(`size(signal.ext.a + signal.ext.b) == ${size}`, values)).toBe('true')
        expect(outcomeOf(`(signal.ext.a + signal.ext.b).startsWith(signal.ext.a)`, values)).toBe(
          'true',
        )
      }),
      { numRuns: draws(50) },
    )
  })
})

describe('the size of a text is its code points', () => {
  test.each([
    ['a', 1],
    ['é', 1],
    ['e\u0301', 2],
    ['😀', 1],
    ['👨‍👩‍👧', 5],
    ['🇫🇷', 2],
    ['\u{10ffff}', 1],
    ['a\u0000b', 3],
    ['\ufeff', 1],
  ])('%j has %s', (value, size) => {
    expect(outcomeOf(`size(signal.ext.w) == ${size}`, { 'signal.ext.w': value })).toBe('true')
  })
})

describe('case', () => {
  test('changes 52 letters and nothing else of all the characters below 0x3000', () => {
    const changed: string[] = []
    for (let code = 1; code < 0x3000; code++) {
      const char = String.fromCharCode(code)
      const values = { 'signal.ext.w': char }
      if (code % 16 !== 0 && code > 0x250) continue
      const same =
        'signal.ext.w.lowerAscii() == signal.ext.w && signal.ext.w.upperAscii() == signal.ext.w'
      if (outcomeOf(same, values) !== 'true') changed.push(char)
    }

    expect(changed.join('')).toBe('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
  })

  test.each([
    ['İSTANBUL', 'İstanbul', 'İSTANBUL'],
    ['straße', 'straße', 'STRAßE'],
    ['ΣΊΣΥΦΟΣ', 'ΣΊΣΥΦΟΣ', 'ΣΊΣΥΦΟΣ'],
    ['\u212a', '\u212a', '\u212a'],
    ['ﬁX', 'ﬁx', 'ﬁX'],
  ])('of %s', (value, lower, upper) => {
    const values = { 'signal.ext.w': value }

    expect(outcomeOf(`signal.ext.w.lowerAscii() == "${lower}"`, values)).toBe('true')
    expect(outcomeOf(`signal.ext.w.upperAscii() == "${upper}"`, values)).toBe('true')
  })
})

describe('a value written as text', () => {
  test.each([
    ['string(true) + string(false)', 'truefalse'],
    ['string(-0) + string(0)', '00'],
    ['string(9007199254740991)', '9007199254740991'],
    ['string(-9007199254740991)', '-9007199254740991'],
    ['string(0.1 + 0.2)', '0.30000000000000004'],
    ['string(1.0)', '1'],
    ['string(-2.50)', '-2.5'],
    ['string(1e21)', '1e+21'],
    ['string(1e-7)', '1e-7'],
    ['string(123456789012345680000.0)', '123456789012345680000'],
    ['string(timestamp("0001-01-01T00:00:00Z"))', '0001-01-01T00:00:00Z'],
    ['string(timestamp("2024-02-29T23:30:00.120+00:30"))', '2024-02-29T23:00:00.12Z'],
    ['string(duration("1h1m1s1ms"))', '3661.001s'],
    ['string("a\\"b")', 'a\\"b'],
  ])('%s is %s', (rule, written) => {
    expect(outcomeOf(`${rule} == "${written}"`)).toBe('true')
  })
})

describe('the words for true and false', () => {
  test.each(['1', 't', 'T', 'true', 'TRUE', 'True'])('%s is true', (word) => {
    expect(outcomeOf('bool(signal.ext.w)', { 'signal.ext.w': word })).toBe('true')
  })

  test.each(['0', 'f', 'F', 'false', 'FALSE', 'False'])('%s is false', (word) => {
    expect(outcomeOf('bool(signal.ext.w)', { 'signal.ext.w': word })).toBe('false')
  })

  test.each(['tRUE', 'TRue', 'fALSE', 'yes', 'no', 'on', 'y', '2', '-1', '00', 'true ', '1.0'])(
    '%j is neither',
    (word) => {
      expect(outcomeOf('bool(signal.ext.w)', { 'signal.ext.w': word })).toBe('missing signal.ext.w')
    },
  )
})

describe('the domain of an address', () => {
  const label = fc
    .tuple(
      fc.string({ unit: fc.constantFrom(...'abz019'), minLength: 1, maxLength: 3 }),
      fc.string({ unit: fc.constantFrom(...'ab-9'), maxLength: 4 }),
      fc.string({ unit: fc.constantFrom(...'abz019'), minLength: 1, maxLength: 3 }),
    )
    .map((parts) => parts.join(''))
  const domain = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'))
  const local = fc.string({
    unit: fc.constantFrom('a', '.', '+', '@', ' ', 'é', '"'),
    minLength: 1,
  })

  test('is what stands behind its last at sign, in lower case', () => {
    fc.assert(
      fc.property(local, domain, (name, host) => {
        expect(evaluateEmailDomain(`${name}@${host}`)).toBe(host)
        expect(evaluateEmailDomain(`${name}@${host.toUpperCase()}`)).toBe(host)
      }),
      { numRuns: draws(200) },
    )
  })

  test.each([
    [`a@${'b'.repeat(63)}.com`, `${'b'.repeat(63)}.com`],
    [`a@${'b'.repeat(64)}.com`, undefined],
    [`a@${`${'b'.repeat(62)}.`.repeat(4)}a`, `${`${'b'.repeat(62)}.`.repeat(4)}a`],
    [`a@${`${'b'.repeat(62)}.`.repeat(4)}ab`, undefined],
    [`${'a'.repeat(308)}@example.com`, 'example.com'],
    [`${'a'.repeat(309)}@example.com`, undefined],
    ['a@localhost', undefined],
    ['a@-a.com', undefined],
    ['a@bücher.de', undefined],
    ['x@ban\u212a.com', undefined],
    ['a@example.com.', undefined],
    ['a@.example.com', undefined],
    ['a@example..com', undefined],
    ['a@example-.com', undefined],
    ['a@exa_mple.com', undefined],
    ['a@[192.0.2.1]', undefined],
    ['a@192.0.2.1', '192.0.2.1'],
    ['a@xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['a@example.com\n', undefined],
    ['a@example.com ', undefined],
    ['@', undefined],
    ['a@', undefined],
    ['', undefined],
  ])('of %j is %s', (address, found) => {
    expect(evaluateEmailDomain(address)).toBe(found)
  })
})
