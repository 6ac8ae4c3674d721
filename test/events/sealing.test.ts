import { createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Box, isSealed, open, seal } from '../../src/events/recording/sealing.ts'

const key = { id: 'key', secret: new Uint8Array(32).fill(1) }
const place = { event: '01890a5d-ac96-774b-bcce-b302099a8057', field: 'phone_number' }
const sealed = (value: unknown) => seal(value, place, { key, nonce: randomBytes(12) })
const bytesOf = (box: { readonly sealed: Box }) => Buffer.from(box.sealed.box, 'base64url')

test('what was sealed opens to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const box = sealed(value)

      expect(open(box.sealed, place, key.secret)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(isSealed(box)).toBe(true)
    }),
  )
})

test('a box is nonce, text and tag, and names its key', () => {
  const nonce = new Uint8Array(12).fill(9)

  const box = seal('+12133734253', place, { key, nonce })

  expect(box.sealed.key).toBe('key')
  expect(bytesOf(box)).toHaveLength(12 + '"+12133734253"'.length + 16)
  expect(new Uint8Array(bytesOf(box).subarray(0, 12))).toEqual(nonce)
})

test('a box never changes its form, for it stands in the log', () => {
  const box = { sealed: { key: 'key', box: 'CQkJCQkJCQkJCQkJ' } }
  const made = seal('+12133734253', place, { key, nonce: new Uint8Array(12).fill(9) })

  expect(made.sealed.box.startsWith(box.sealed.box)).toBe(true)
  expect(made.sealed.box).toMatchInlineSnapshot(
    `"CQkJCQkJCQkJCQkJ5iQW_P8DNfZMYHh6nf_OFyP6hQNCcxBJme6EepSl"`,
  )
})

test('a box is the same whether its key is ready for the cipher or not', () => {
  const nonce = new Uint8Array(12).fill(9)
  const prepared = createSecretKey(key.secret)

  const boxes = [key, { ...key, prepared }].map((one) => seal('a', place, { key: one, nonce }))

  expect(boxes[1]).toEqual(boxes[0])
})

test.each([
  ['another event', { ...place, event: '01890a5d-ac96-774b-bcce-b302099a8058' }],
  ['another field', { ...place, field: 'email_address' }],
])('a box moved to %s does not open', (_, elsewhere) => {
  expect(() => open(sealed('a').sealed, elsewhere, key.secret)).toThrow('altered or moved')
})

test('a box does not open under another key', () => {
  const other = new Uint8Array(32).fill(2)

  expect(() => open(sealed('a').sealed, place, other)).toThrow('sealed under another key')
})

test('a box with any bit turned does not open', () => {
  const box = sealed('+12133734253')

  fc.assert(
    fc.property(fc.nat(bytesOf(box).length * 8 - 1), (bit) => {
      const bytes = bytesOf(box)
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const turned = { sealed: { key: 'key', box: bytes.toString('base64url') } }

      expect(() => open(turned.sealed, place, key.secret)).toThrow('altered or moved')
    }),
  )
})

test('a box cut short does not open', () => {
  const box = sealed('+12133734253')

  for (let length = 0; length < bytesOf(box).length; length += 1) {
    const cut = bytesOf(box).subarray(0, length).toString('base64url')

    expect(() => open({ box: cut }, place, key.secret)).toThrow()
  }
})

test('an error says nothing of what was sealed', () => {
  const box = sealed('+12133734253')

  try {
    open(box.sealed, { ...place, field: 'other' }, key.secret)
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
