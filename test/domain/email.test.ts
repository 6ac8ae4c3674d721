import fc from 'fast-check'
import { expect, test } from 'vitest'
import { extractMailDomain, normalizeEmail } from '../../src/domain/evaluation/email.ts'
import { draws } from '../support/draws.ts'

const local64 = 'l'.repeat(64)
const label63 = 'd'.repeat(63)
// 64 + 1 + 189 = 254 bytes
const longest = `${local64}@${'d'.repeat(61)}.${label63}.${'d'.repeat(59)}.com`

test.each([
  ['ann@example.com', 'ann@example.com'],
  ['  Ann.Lee@Example.COM ', 'ann.lee@example.com'],
  ['ann+shop@gmail.com', 'ann+shop@gmail.com'],
  ['a.n.n@gmail.com', 'a.n.n@gmail.com'],
  ["o'hara_{x}!#$%&*/=?^`|~-@example.com", "o'hara_{x}!#$%&*/=?^`|~-@example.com"],
  ['ann@München.DE', 'ann@xn--mnchen-3ya.de'],
  ['ann@XN--MNCHEN-3YA.de', 'ann@xn--mnchen-3ya.de'],
  ['ann@faß.de', 'ann@xn--fa-hia.de'],
  ['ann@例え。テスト', 'ann@xn--r8jz45g.xn--zckzah'],
  ['JÖRG@example.com', 'jörg@example.com'],
  ['jo\u0308rg@example.com', 'jörg@example.com'],
  ['ann@1.example.com', 'ann@1.example.com'],
  ['ann@a-b.c3', 'ann@a-b.c3'],
  // addresses that mobile carriers of Japan have given away
  ['a..b@docomo.ne.jp', 'a..b@docomo.ne.jp'],
  ['Abc.@ezweb.ne.jp', 'abc.@ezweb.ne.jp'],
  ['a...b..c..@softbank.ne.jp', 'a...b..c..@softbank.ne.jp'],
  ['-a.-.b-@docomo.ne.jp', '-a.-.b-@docomo.ne.jp'],
  [longest, longest],
])('%j is the address %s', (written, address) => {
  expect(normalizeEmail(written)).toBe(address)
})

test.each([
  ['nothing', ''],
  ['no at sign', 'ann.example.com'],
  ['two at signs', 'ann@lee@example.com'],
  ['nothing before the at sign', '@example.com'],
  ['nothing behind it', 'ann@'],
  ['a dot first', '.ann@example.com'],
  ['nothing but dots', '..@docomo.ne.jp'],
  ['a space inside', 'ann lee@example.com'],
  ['a space before the domain', 'ann@ example.com'],
  ['a line break inside', 'ann@exam\nple.com'],
  ['a header behind it', 'ann@example.com\r\nBcc: bob@example.com'],
  ['a quoted local part', '"ann lee"@example.com'],
  ['a comment', 'ann(work)@example.com'],
  ['a display name', 'Ann <ann@example.com>'],
  ['an IP literal', 'ann@[203.0.113.9]'],
  ['a bare IP address', 'ann@203.0.113.9'],
  ['an IP address in short', 'ann@127.1'],
  ['an IP address in hexadecimal', 'ann@0x7f.1'],
  ['one label', 'ann@localhost'],
  ['a dot behind the domain', 'ann@example.com.'],
  ['two dots in the domain', 'ann@example..com'],
  ['an underscore in the domain', 'ann@exam_ple.com'],
  ['a dash at the end of a label', 'ann@example-.com'],
  ['a number as top domain', 'ann@example.123'],
  ['a port', 'ann@example.com:25'],
  ['a path', 'ann@example.com/x'],
  ['a percent escape', 'ann@ex%61mple.com'],
  ['a zero-width space in the domain', 'ann@exam\u200bple.com'],
  ['a zero-width space before it', 'an\u200bn@example.com'],
  ['broken punycode', 'ann@xn--a.com'],
  ['punycode for what IDNA does not allow', 'ann@xn--u-ccb.com'],
  ['broken punycode in the last label', 'ann@example.xn--a'],
  ['a label of 64 characters', `ann@${label63}d.com`],
  ['a local part of 65 bytes', `${local64}l@example.com`],
  [
    'a local part of 65 bytes in 33 characters',
    `${'ö'.repeat(32)}l@example.com`.replace('l@', '@').replace('ö', 'öl'),
  ],
  ['255 bytes', longest.replace('.com', '.comm')],
  ['half a surrogate pair', 'ann\ud800@example.com'],
])('%s is not an address', (_, written) => {
  expect(normalizeEmail(written)).toBeUndefined()
})

test('whatever is accepted stays as it is, in lower case and within the limits', () => {
  const piece = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  const written = fc.tuple(piece, piece, piece).map(([a, b, c]) => `${a}@${b}.${c}`)
  const likely = fc.stringMatching(/^[A-Za-z0-9._+-]{1,70}@[A-Za-z0-9.-]{1,40}\.[a-z]{2,6}$/)

  fc.assert(
    fc.property(fc.oneof(written, likely, fc.emailAddress()), (text) => {
      const address = normalizeEmail(text)
      fc.pre(address !== undefined)

      expect(normalizeEmail(address)).toBe(address)
      expect(address).toBe(address.toLowerCase())
      expect(Buffer.byteLength(address)).toBeLessThanOrEqual(254)
      expect(extractMailDomain(address)).toMatch(/^[a-z0-9.-]+$/)
    }),
    { numRuns: draws(500) },
  )
})

test('a long text is refused before it is looked at', () => {
  expect(normalizeEmail(`${'a'.repeat(10_000_000)}@example.com`)).toBeUndefined()
})

test('the domain of an address stands behind its at sign', () => {
  expect(extractMailDomain('ann@mail.example.com')).toBe('mail.example.com')
})
