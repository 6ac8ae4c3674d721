import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newKeys } from '../../src/stores/keys/keyWrapping.ts'

const chance = { bytes: randomBytes }
const at = (timeMs: number) => ({ clock: { nowMs: () => timeMs }, chance })

test('keys share no memory, so that whoever keeps one keeps no other', () => {
  const keys = newKeys(40, at(0))

  expect(new Set(keys.map(({ secret }) => secret.buffer)).size).toBe(40)
  expect(keys.map(({ secret }) => secret.buffer.byteLength)).toEqual(Array(40).fill(32))
  expect(new Set(keys.map(({ secret }) => Buffer.from(secret).toString('hex'))).size).toBe(40)
})

test('ids of keys rise with the time, and none begins with what a command line takes for an option', () => {
  const ids = [1, 1_700_000_000_000, 1_700_000_000_001, 4_000_000_000_000].flatMap((timeMs) =>
    newKeys(1, at(timeMs)).map(({ id }) => id),
  )

  expect(ids).toEqual(ids.toSorted())
  expect(ids.filter((id) => !/^[0-7][0-9a-z]{25}$/.test(id))).toEqual([])
})
