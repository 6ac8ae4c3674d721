import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeCipher, type Sodium, sodiumCipher } from '../../src/events/recording/aeadCipher.ts'
import { isSealed, openBox, type SealedBox, sealValue } from '../../src/events/recording/sealing.ts'
import { draws } from '../support/draws.ts'

const key = { id: 'key', secret: new Uint8Array(32).fill(1) }
const sealedField = { event: '01890a5d-ac96-774b-bcce-b302099a8057', field: 'phone_number' }
const sealed = (value: unknown) => sealValue(value, sealedField, { key, nonce: randomBytes(12) })
const bytesOf = (box: { readonly sealed: SealedBox }) => Buffer.from(box.sealed.box, 'base64url')

test('what was sealed opens to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const box = sealed(value)

      expect(openBox(box.sealed, sealedField, key.secret)).toEqual(
        JSON.parse(JSON.stringify(value)),
      )
      expect(isSealed(box)).toBe(true)
    }),
  )
})

test('a box is nonce, text and tag, and names its key', () => {
  const nonce = new Uint8Array(12).fill(9)

  const box = sealValue('+12133734253', sealedField, { key, nonce })

  expect(box.sealed.key).toBe('key')
  expect(bytesOf(box)).toHaveLength(12 + '"+12133734253"'.length + 16)
  expect(new Uint8Array(bytesOf(box).subarray(0, 12))).toEqual(nonce)
})

test('a box never changes its form, for it stands in the log', () => {
  const box = { sealed: { key: 'key', box: 'CQkJCQkJCQkJCQkJ' } }
  const made = sealValue('+12133734253', sealedField, { key, nonce: new Uint8Array(12).fill(9) })

  expect(made.sealed.box.startsWith(box.sealed.box)).toBe(true)
  expect(made.sealed.box).toMatchInlineSnapshot(
    `"CQkJCQkJCQkJCQkJrKLVQV9TmtHbVrM0JZeiZu52E9rKvnU1Fj-3Ewmt"`,
  )
})

describe('boxes of ChaCha20-Poly1305', () => {
  const require = createRequire(import.meta.url)
  const ciphers = {
    libsodium: sodiumCipher(require('sodium-native') as Sodium),
    Node: nodeCipher,
  }
  const { secret } = key
  const where = { secret, additionalData: '01890a5d-ac96-774b-bcce-b302099a8057/phone_number' }
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.integer({ min: 0, max: 40_000 }).map((length) => 'é'.repeat(length)),
  )
  const names = fc.constantFrom('libsodium', 'Node')

  test('are the same by whichever library, and each opens the other’s', () => {
    fc.assert(
      fc.property(texts, fc.uint8Array({ minLength: 12, maxLength: 12 }), (text, nonce) => {
        const [one, other] = Object.values(ciphers).map(({ seal: by }) =>
          by(text, { ...where, nonce }),
        )

        expect(other).toBe(one)
        for (const by of Object.values(ciphers)) {
          const bytes = by.sealBytes(Buffer.from(text), { ...where, nonce })
          expect(bytes.toString('base64url')).toBe(one)
          expect(by.open(one ?? '', where)).toBe(Buffer.from(text).toString())
        }
      }),
      { numRuns: draws(60) },
    )
  })

  test('do not open altered, cut short, elsewhere or under another secret', () => {
    fc.assert(
      fc.property(names, fc.string({ maxLength: 30 }), fc.nat(), (name, text, at) => {
        const by = ciphers[name]
        const box = by.seal(text, { ...where, nonce: new Uint8Array(12) })
        const bytes = Buffer.from(box, 'base64url')
        const turned = Buffer.from(bytes)
        const bit = at % (bytes.length * 8)
        turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7))

        const opened = [
          by.open(turned.toString('base64url'), where),
          by.open(bytes.subarray(0, at % bytes.length).toString('base64url'), where),
          by.open(box, { ...where, additionalData: `${where.additionalData}x` }),
          by.open(box, { ...where, secret: new Uint8Array(32).fill(2) }),
        ]

        expect(opened).toEqual([undefined, undefined, undefined, undefined])
        expect(by.open(box, where)).toBe(text)
      }),
    )
  })

  test('are made in memory in which nothing stays in clear', () => {
    const seen: Uint8Array[] = []
    const sodium = require('sodium-native') as Sodium
    const watched = sodiumCipher({
      crypto_aead_chacha20poly1305_ietf_encrypt: (...given) => {
        seen.push(new Uint8Array(given[0].buffer))
        return sodium.crypto_aead_chacha20poly1305_ietf_encrypt(...given)
      },
      crypto_aead_chacha20poly1305_ietf_decrypt: (...given) => {
        seen.push(new Uint8Array(given[0].buffer))
        sodium.crypto_aead_chacha20poly1305_ietf_decrypt(...given)
      },
    })

    const box = watched.seal('a secret of ann', { ...where, nonce: new Uint8Array(12) })
    const opened = watched.open(box, where)
    const refused = () => watched.seal('a secret of ann', { ...where, nonce: new Uint8Array(1) })

    expect(opened).toBe('a secret of ann')
    expect(refused).toThrow()
    expect(seen).toHaveLength(3)
    for (const memory of seen) {
      expect(Buffer.from(memory).includes('secret of')).toBe(false)
    }
  })
})

test.each([
  ['another event', { ...sealedField, event: '01890a5d-ac96-774b-bcce-b302099a8058' }],
  ['another field', { ...sealedField, field: 'email_address' }],
])('a box moved to %s does not open', (_, elsewhere) => {
  expect(() => openBox(sealed('a').sealed, elsewhere, key.secret)).toThrow('altered or moved')
})

test('a box does not open under another key', () => {
  const other = new Uint8Array(32).fill(2)

  expect(() => openBox(sealed('a').sealed, sealedField, other)).toThrow('sealed under another key')
})

test('an error says nothing of what was sealed', () => {
  const box = sealed('+12133734253')

  try {
    openBox(box.sealed, { ...sealedField, field: 'other' }, key.secret)
  } catch (error) {
    expect(String(error)).not.toMatch(/2133734253/)
  }
  expect.assertions(1)
})

test.each([[null], [undefined], ['sealed'], [1], [{}], [{ forgotten: true }], [['sealed']]])(
  '%j is not sealed',
  (value) => {
    expect(isSealed(value)).toBe(false)
  },
)
