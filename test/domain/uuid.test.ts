import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUuid, parseUuid, uuidV5, uuidV7 } from '../../src/domain/uuid.ts'
import { draws } from '../support/draws.ts'

const random = { bytes: (count: number) => randomBytes(count) }
const zeros = { bytes: (count: number) => new Uint8Array(count) }
const dnsNamespace = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'

test('a new UUID carries the clock, version 7 and the variant', () => {
  const clock = { nowMs: () => 0x017f22e279b0 }

  const uuid = uuidV7(clock, zeros)

  expect(uuid).toBe('017f22e2-79b0-7000-8000-000000000000')
})

test('the example of RFC 9562 comes out of its own random bits', () => {
  const clock = { nowMs: () => 0x017f22e279b0 }
  const given = Buffer.from('7cc398c4dc0c0c07398f', 'hex')

  const uuid = uuidV7(clock, { bytes: () => given })

  expect(uuid).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
})

test('new UUIDs are UUIDs, differ, and sort by time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 48 - 2 }), (nowMs) => {
      const earlier = uuidV7({ nowMs: () => nowMs }, random)
      const later = uuidV7({ nowMs: () => nowMs + 1 }, random)

      expect(isUuid(earlier)).toBe(true)
      expect(earlier < later).toBe(true)
      expect(earlier).not.toBe(uuidV7({ nowMs: () => nowMs }, random))
    }),
  )
})

test('a named UUID is the one every implementation of version 5 gives', () => {
  expect(uuidV5(dnsNamespace, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
  expect(uuidV5(dnsNamespace.toUpperCase(), 'www.example.com')).toBe(
    '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  )
})

test('a text is a UUID exactly when it has the form of one', () => {
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
  const other = fc.constantFrom(...'-gGzZ/:@`[{ \n\0éſKa0Ff９')
  const nearly = fc
    .tuple(fc.uuid(), fc.nat(35), other)
    .map(([uuid, at, one]) => uuid.slice(0, at) + one + uuid.slice(at + 1))

  fc.assert(
    fc.property(fc.oneof(nearly, fc.string({ minLength: 36, maxLength: 36 })), (text) => {
      expect(isUuid(text)).toBe(form.test(text))
    }),
    { numRuns: draws(2_000) },
  )
})

test('the bytes of a UUID are those that its digits say, in either case', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.boolean(), (uuid, isUpper) => {
      const written = isUpper ? uuid.toUpperCase() : uuid

      const bytes = parseUuid(written)

      expect(Buffer.from(bytes).toString('hex')).toBe(uuid.replaceAll('-', ''))
    }),
  )
})

test('another name or another namespace gives another UUID', () => {
  const names = Array.from({ length: 100 }, (_, index) => uuidV5(dnsNamespace, String(index)))
  const others = names.map((namespace) => uuidV5(namespace, '0'))

  expect(new Set([...names, ...others]).size).toBe(200)
})

test.each([
  '',
  'not a uuid',
  '6ba7b8109dad11d180b400c04fd430c8',
  '6ba7b810-9dad-11d1-80b4-00c04fd430c',
  '6ba7b810-9dad-11d1-80b4-00c04fd430cg',
  '{6ba7b810-9dad-11d1-80b4-00c04fd430c}',
  '6ba7b810-9dad-11d1-80b4-00c04fd430c\n',
  '6ba7b810-9dad-11d1-80b4-00c04fd430c8\n',
])('%j is not a UUID', (text) => {
  expect(isUuid(text)).toBe(false)
  expect(() => parseUuid(text)).toThrow('not a UUID')
})
