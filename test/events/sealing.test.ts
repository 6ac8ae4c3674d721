import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSealed, openBox, type SealedBox, sealValue } from '../../src/events/recording/sealing.ts'

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

test.each([['altered'], ['cut short']])('a box that is %s does not open', (what) => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.nat(), (text, at) => {
      const { sealed: whole } = sealed(text)
      const bytes = Buffer.from(whole.box, 'base64url')
      const turned = Buffer.from(bytes)
      const bit = at % (bytes.length * 8)
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const broken = what === 'altered' ? turned : bytes.subarray(0, at % bytes.length)
      const box = broken.toString('base64url')

      expect(() => openBox({ box }, sealedField, key.secret)).toThrow('altered or moved')
      expect(openBox(whole, sealedField, key.secret)).toBe(text)
    }),
  )
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
