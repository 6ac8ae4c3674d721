import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newKeys } from '../../src/stores/newKeys.ts'

test('keys out of one piece of chance share no memory, so that whoever keeps one keeps no other', () => {
  const keys = newKeys(40, { bytes: randomBytes })

  expect(new Set(keys.map(({ secret }) => secret.buffer)).size).toBe(40)
  expect(keys.map(({ secret }) => secret.buffer.byteLength)).toEqual(Array(40).fill(32))
  expect(new Set(keys.map(({ secret }) => Buffer.from(secret).toString('hex'))).size).toBe(40)
})

test('no id of a key begins with what a command line takes for an option', () => {
  const firsts = newKeys(2000, { bytes: randomBytes }).map(({ id }) => id.charAt(0))

  expect(firsts.filter((first) => !/[A-Za-f]/.test(first))).toEqual([])
  expect(new Set(firsts).size).toBe(32)
})
