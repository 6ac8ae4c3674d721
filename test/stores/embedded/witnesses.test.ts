import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  openWitnessFile,
  readWitnessFile,
  type WitnessMark,
} from '../../../src/stores/embedded/witnesses.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const markAt = (position: number): WitnessMark => ({
  position,
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
})

function witnessOf(...positions: readonly number[]): string {
  const file = join(temporaryFolder(), 'stores.witness')
  const witness = openWitnessFile(file, 'log')
  for (const position of positions) witness.write(markAt(position))
  witness.close()
  return file
}

test('given marks, when read, then it is the last one, however long the ones before', () => {
  expect(readWitnessFile(witnessOf(1, 999_999_999_999, 1_000_000_000_000), 'log')).toEqual(
    markAt(1_000_000_000_000),
  )
})

test('given a witness that was closed, when opened again and written, then it goes on from there', () => {
  const file = witnessOf(7)
  const again = openWitnessFile(file, 'log')

  expect(readWitnessFile(file, 'log')).toEqual(markAt(7))
  again.write(markAt(8))

  expect(readWitnessFile(file, 'log')).toEqual(markAt(8))
  again.close()
})

test('given no file, or one in which nothing was written, when read, then there is no mark', () => {
  expect(readWitnessFile(join(temporaryFolder(), 'stores.witness'), 'log')).toBeUndefined()
  expect(readWitnessFile(witnessOf(), 'log')).toBeUndefined()
})

test('given any one byte of it changed, when read, then there is no mark', () => {
  const file = witnessOf(172)
  const whole = readFileSync(file)

  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ mask
      writeFileSync(file, bytes)

      expect(readWitnessFile(file, 'log')).toBeUndefined()
    }),
  )
})

test('given it cut anywhere or overwritten, when read, then it is the mark or none', () => {
  const { length } = readFileSync(witnessOf(172))
  for (const left of [0, 1, length - 1, length]) {
    const file = witnessOf(172)
    truncateSync(file, left)

    expect(readWitnessFile(file, 'log')).toEqual(left < length ? undefined : markAt(172))
  }
  const file = witnessOf(172)
  writeFileSync(file, 'x'.repeat(1_024))
  expect(readWitnessFile(file, 'log')).toBeUndefined()
})

test('given marks of log and keys, when read, then each has its own, and neither touches the other', () => {
  const file = join(temporaryFolder(), 'stores.witness')
  const [log, keys] = [openWitnessFile(file, 'log'), openWitnessFile(file, 'keys')]
  keys.write(markAt(3))
  expect(readWitnessFile(file, 'log')).toBeUndefined()
  log.write(markAt(172))
  for (const witness of [log, keys]) witness.close()

  expect(readWitnessFile(file, 'log')).toEqual(markAt(172))
  expect(readWitnessFile(file, 'keys')).toEqual(markAt(3))
})

test('given a witness that cannot be read, when asked, then it is named with the next step', () => {
  const file = temporaryFolder()

  expect(() => readWitnessFile(file, 'log')).toThrow(
    `Cannot use ${file}: it is no file; move it away.`,
  )
})
