import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashSecret, makeApiToken, parseApiToken, secretMatches } from '../../src/auth/apiToken.ts'
import { draws } from '../support/draws.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const id = (prefix: string) =>
  fc
    .string({ unit: fc.constantFrom(...alphabet), minLength: 26, maxLength: 26 })
    .map((body) => `${prefix}_${body}`)
const secretBytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const made = fc.tuple(id('acc'), id('tok'), secretBytes).map(([account, token, secret]) => ({
  account,
  token,
  secret,
  ...makeApiToken(account, token, { bytes: () => secret }),
}))

describe('an API token', () => {
  test('says whose it is and holds its secret, whatever the bytes of that are', () => {
    fc.assert(
      fc.property(made, ({ account, token, secret, text, hash }) => {
        const parts = parseApiToken(text)

        expect(parts).toMatchObject({ accountId: account, tokenId: token })
        expect(Buffer.from(parts?.secret ?? '', 'base64url').equals(secret)).toBe(true)
        expect(hash).toBe(
          createHash('sha256')
            .update(parts?.secret ?? '')
            .digest('hex'),
        )
        // as a header and an environment variable take it
        expect(text).toMatch(/^[\w-]{101}$/)
      }),
      { numRuns: draws(200) },
    )
  })

  test('is no other text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(parseApiToken(text)).toBeUndefined()
      }),
    )
  })

  test('with one character changed, added or left out is another or none', () => {
    const change = fc.record({
      what: fc.constantFrom('changed', 'added', 'left out'),
      at: fc.nat(100),
      char: fc.constantFrom('a', '0', '_', '-', 'Z', ' ', 'i', 'é'),
    })

    fc.assert(
      fc.property(made, change, (one, { what, at, char }) => {
        const before = one.text.slice(0, at)
        const changed =
          {
            changed: before + char + one.text.slice(at + 1),
            added: before + char + one.text.slice(at),
            'left out': before + one.text.slice(at + 1),
          }[what] ?? ''
        fc.pre(changed !== one.text)

        const parts = parseApiToken(changed)

        const same =
          parts?.accountId === one.account &&
          parts.tokenId === one.token &&
          secretMatches(parts.secret, one.hash)
        expect([changed, same]).toEqual([changed, false])
      }),
      { numRuns: draws(500) },
    )
  })

  test.each([
    (text: string) => ` ${text}`,
    (text: string) => `${text} `,
    (text: string) => `${text}\n`,
    (text: string) => text.toUpperCase(),
    (text: string) => text.replace('vgl_', 'vgo_'),
    (text: string) => text.replace('vgl_', ''),
    (text: string) => `Bearer ${text}`,
    (text: string) => text.repeat(2),
    (text: string) => `${text}=`,
    (text: string) => text.replaceAll('_', '.'),
  ])('is read only as it was written (%#)', (spoil) => {
    const { text } = makeApiToken(`acc_${'a'.repeat(26)}`, `tok_${'b'.repeat(26)}`, {
      bytes: (count) => new Uint8Array(count).fill(1),
    })

    expect(parseApiToken(text)).toBeDefined()
    expect(parseApiToken(spoil(text))).toBeUndefined()
  })
})

describe('a kept hash', () => {
  test('is of one secret and of no other', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(secretMatches(one, hashSecret(other))).toBe(one === other)
      }),
    )
  })

  test.each([
    ['nothing', ''],
    ['the secret itself', 'secret'],
    ['a hash that lacks its end', hashSecret('secret').slice(0, 63)],
    ['a hash with more behind it', `${hashSecret('secret')}0`],
    ['a hash in upper case', hashSecret('secret').toUpperCase()],
    ['characters of more than a byte', 'é'.repeat(32)],
  ])('is not %s', (_, kept) => {
    expect(secretMatches('secret', kept)).toBe(false)
  })
})
