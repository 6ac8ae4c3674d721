import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { preparedHmac } from '../../src/stores/preparedHmac.ts'

const anyKey = fc.uint8Array({ minLength: 1, maxLength: 64 })
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  // around the length beyond which a text gets memory of its own
  fc.string({ unit: 'binary', minLength: 330, maxLength: 350 }),
  fc.string({ unit: 'grapheme', minLength: 900, maxLength: 1_400 }),
)

test('gives what the library gives, text after text', () => {
  fc.assert(
    fc.property(anyKey, fc.array(anyText, { minLength: 1, maxLength: 6 }), (key, texts) => {
      const digestOf = preparedHmac(key)

      const digests = texts.map(digestOf)

      expect(digests).toEqual(
        texts.map((text) => createHmac('sha256', key).update(text).digest('base64url')),
      )
    }),
  )
})

test('a key that is longer than a block is refused', () => {
  expect(() => preparedHmac(new Uint8Array(65))).toThrow('at most 64 bytes')
})
