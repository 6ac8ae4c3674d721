import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  computeMasterKeyProof,
  createKeyWrapping,
  deriveKey,
  isProofOf,
  newKeys,
} from '../../src/stores/keys/keyWrapping.ts'

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
const masterKey = new Uint8Array(32).fill(7)
const wrapping = createKeyWrapping(masterKey, random)
const key = { id: 'a-key', secret: new Uint8Array(32).fill(1) }

test('a wrapped key comes back as it was', () => {
  const wrapped = wrapping.wrap(key)

  expect(wrapped).toHaveLength(60)
  expect(wrapping.unwrap('a-key', wrapped)).toEqual(key.secret)
  expect(createKeyWrapping(masterKey, random).unwrap('a-key', wrapped)).toEqual(key.secret)
})

test('the same key is wrapped in other bytes each time', () => {
  expect(wrapping.wrap(key)).not.toEqual(wrapping.wrap(key))
})

test('a wrapped key does not come back under another id or another master key', () => {
  const wrapped = wrapping.wrap(key)
  const other = createKeyWrapping(new Uint8Array(32).fill(8), random)

  expect(wrapping.unwrap('b-key', wrapped)).toBeUndefined()
  expect(other.unwrap('a-key', wrapped)).toBeUndefined()
})

test.each([0, 13, 59])('a wrapped key with byte %i changed, or cut there, is none', (at) => {
  const changed = wrapping.wrap(key)
  changed[at] = (changed[at] ?? 0) ^ 1

  expect(wrapping.unwrap('a-key', changed)).toBeUndefined()
  expect(wrapping.unwrap('a-key', wrapping.wrap(key).subarray(0, at))).toBeUndefined()
})

test('a secret that is not 32 bytes long is not wrapped', () => {
  expect(() => wrapping.wrap({ id: 'a', secret: new Uint8Array(31) })).toThrow('32 bytes')
})

test('the proof is the same for the same master key only', () => {
  const proof = computeMasterKeyProof(masterKey)

  expect(isProofOf(masterKey, proof)).toBe(true)
  expect(isProofOf(new Uint8Array(32).fill(8), proof)).toBe(false)
})

test('each use has a key of its own, always the same', () => {
  const hex = (use: string) => Buffer.from(deriveKey(masterKey, use)).toString('hex')

  expect(new Set(['a', 'b', 'c'].map(hex)).size).toBe(3)
  expect(hex('vigil subjects')).toMatchInlineSnapshot(
    `"39b84b7da481ba528e54a2c3f47295563d6f03506b23587d0df2e6bed355060b"`,
  )
})

test.each([0, 16, 31, 33])('a master key of %i bytes is refused', (length) => {
  expect(() => createKeyWrapping(new Uint8Array(length), random)).toThrow('must have 32 bytes')
})

const at = (timeMs: number) => ({ clock: { nowMs: () => timeMs }, random: { bytes: randomBytes } })

test('ids of keys rise with the time, and none begins with what a command line takes for an option', () => {
  const ids = [1, 1_700_000_000_000, 1_700_000_000_001, 4_000_000_000_000].flatMap((timeMs) =>
    newKeys(1, at(timeMs)).map(({ id }) => id),
  )

  expect(ids).toEqual(ids.toSorted())
  expect(ids.filter((id) => !/^[0-7][0-9a-z]{25}$/.test(id))).toEqual([])
})
