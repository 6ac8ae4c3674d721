import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  emailDomain,
  inRanges,
  ipNumber,
  ipRange,
  phoneCountry,
} from '../../src/engine/language/operators/domainFunctions.ts'
import { boolOfText, doubleOfText, intOfText } from '../../src/engine/language/values/numbers.ts'
import {
  compareText,
  lowerAscii,
  textSize,
  upperAscii,
} from '../../src/engine/language/values/text.ts'
import { draws } from '../support/draws.ts'

const anyText = fc.string({ unit: 'binary' })

describe('texts', () => {
  test('are ordered as their code points are', () => {
    const points = (text: string) => [...text].map((char) => char.codePointAt(0) ?? 0)
    const byPoints = (a: readonly number[], b: readonly number[]): number => {
      const at = a.findIndex((point, index) => point !== b[index])
      if (at === -1) return a.length - b.length
      return at >= b.length ? 1 : (a[at] ?? 0) - (b[at] ?? 0)
    }
    const near = fc.string({ unit: fc.constantFrom('a', 'b', '\ue000', '\uffff', '😀', '𐀀') })

    fc.assert(
      fc.property(near, near, (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Math.sign(byPoints(points(a), points(b))))
      }),
      { numRuns: draws(1000) },
    )
  })

  test('are as long as they have code points', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(textSize(text)).toBe([...text].length)
      }),
    )
  })

  test('change the case of ASCII letters and of nothing else', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'Z', 'İ', 'ß', 'É', '1', '😀') }),
        (text) => {
          expect(lowerAscii(text)).toBe([...text].map((c) => (c === 'Z' ? 'z' : c)).join(''))
          expect(upperAscii(text)).toBe([...text].map((c) => (c === 'a' ? 'A' : c)).join(''))
        },
      ),
    )
  })
})

describe('numbers in texts', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['+12', 12],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', undefined],
    ['9007199254740993', undefined],
    ['99999999999999999999', undefined],
    ['1.0', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['', undefined],
    [' 1', undefined],
    ['1\n', undefined],
    ['١', undefined],
    ['--1', undefined],
  ])('%j as int is %s', (text, value) => {
    expect(intOfText(text)).toBe(value)
  })

  test.each([
    ['1', 1],
    ['-1.5', -1.5],
    ['+.5', 0.5],
    ['1.', 1],
    ['1e3', 1000],
    ['1E-3', 0.001],
    ['1e999', undefined],
    ['Infinity', undefined],
    ['NaN', undefined],
    ['0x10', undefined],
    ['', undefined],
    ['.', undefined],
    ['1,5', undefined],
    [' 1', undefined],
    ['1e', undefined],
  ])('%j as double is %s', (text, value) => {
    expect(doubleOfText(text)).toBe(value)
  })

  test('bools have the words of CEL and no others', () => {
    expect(['1', 't', 'T', 'true', 'TRUE', 'True'].map(boolOfText)).not.toContain(false)
    expect(
      ['0', 'f', 'F', 'false', 'FALSE', 'False'].every((text) => boolOfText(text) === false),
    ).toBe(true)
    expect(['', 'yes', 'tRUE', 'true ', '2'].map(boolOfText)).toEqual(Array(5).fill(undefined))
  })
})

describe('networks', () => {
  const within = (ip: string, network: string): boolean => {
    const range = ipRange(network)
    const number = ipNumber(ip)
    if (typeof range === 'string' || number === undefined) throw new Error(`${ip} ${network}`)
    return inRanges(number, [range])
  }

  test.each([
    ['10.0.0.0', '10.0.0.0/8', true],
    ['10.255.255.255', '10.0.0.0/8', true],
    ['11.0.0.0', '10.0.0.0/8', false],
    ['9.255.255.255', '10.0.0.0/8', false],
    ['255.255.255.255', '128.0.0.0/1', true],
    ['1.2.3.4', '1.2.3.4/32', true],
    ['1.2.3.5', '1.2.3.4/32', false],
    ['2001:db8:ffff::1', '2001:db8::/32', true],
    ['2001:db9::', '2001:db8::/32', false],
    ['2001:db8:0:8000::', '2001:db8::/48', true],
    ['2001:db8:0:8000::', '2001:db8::/49', false],
    ['2001:db8:0:7fff::', '2001:db8:0:8000::/49', false],
    ['::1', '::1/128', true],
    ['::2', '::1/128', false],
    ['1.2.3.4', '::/0', false],
    ['::1', '0.0.0.0/0', false],
    ['::ffff:1.2.3.4', '1.2.3.0/24', true],
    ['1.2.3.4', '::ffff:1.2.3.0/120', true],
  ])('%s in %s is %s', (ip, network, inside) => {
    expect(within(ip, network)).toBe(inside)
  })

  test('hold what shares their first bits, for any IPv4 address', () => {
    const address = fc.nat({ max: 2 ** 32 - 1 })
    const text = (n: number) => [24, 16, 8, 0].map((bits) => (n >>> bits) & 255).join('.')

    fc.assert(
      fc.property(address, address, fc.integer({ min: 1, max: 32 }), (a, b, prefix) => {
        const mask = (-1 << (32 - prefix)) >>> 0

        expect(within(text(b), `${text((a & mask) >>> 0)}/${prefix}`)).toBe(
          (a & mask) >>> 0 === (b & mask) >>> 0,
        )
      }),
    )
  })

  test.each([
    ...['', '1.2.3', '1.2.3.4.5', '256.1.1.1', '01.2.3.4', '1.2.3.4 ', '0x7f.1', '127.1', '1..2.3'],
    ...['::g', ':::', 'fe80::1%eth0', '1.2.3.-4', '1e1.2.3.4', '2001:db8'],
  ])('%j is no address', (text) => {
    expect(ipNumber(text)).toBeUndefined()
  })

  test.each([
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.1/8',
    '10.0.0.0/8/8',
    '::/129',
    '/8',
    '10.0.0.0/-1',
    '::ffff:0.0.0.0/95',
  ])('%j is no network', (text) => {
    expect(ipRange(text)).toContain(`'${text}'`)
  })
})

test.each([
  ['jane@example.com', 'example.com'],
  ['a@b@Mail.Example.ORG', 'mail.example.org'],
  ['@example.com', undefined],
  ['jane@', undefined],
  ['jane@localhost', undefined],
  ['jane@exa mple.com', undefined],
  ['jane@-a.com', undefined],
  ['jane@bücher.de', undefined],
  [`jane@${'a'.repeat(64)}.com`, undefined],
  [`jane@${'a.'.repeat(130)}com`, undefined],
  ['jane', undefined],
])('the domain of %j is %s', (address, domain) => {
  expect(emailDomain(address)).toBe(domain)
})

test.each([
  ['+33612345678', 'FR'],
  ['+14155552671', 'US'],
  ['+442079460000', 'GB'],
  ['33612345678', undefined],
  ['+33 6 12 34 56 78', undefined],
  ['+0123456', undefined],
  ['+80012345678', undefined],
  ['', undefined],
])('the country of %j is %s', (number, country) => {
  expect(phoneCountry(number)).toBe(country)
})
