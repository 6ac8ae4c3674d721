import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import {
  forgetWitnessed,
  type Mark,
  openWitnessFile,
  readWitnessFile,
} from '../../../src/stores/embedded/witnesses.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const markAt = (position: number): Mark => ({
  position,
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  checksum: 4_294_967_295,
  atMs: 1_700_000_000_000,
})

afterEach(() => {
  vi.useRealTimers()
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

test('given any one byte of it changed, when read, then the mark is still known', () => {
  const file = witnessOf(172)
  const whole = readFileSync(file)

  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ mask
      writeFileSync(file, bytes)

      expect(readWitnessFile(file, 'log')).toEqual(markAt(172))
    }),
  )
})

test('given a write that was torn between its copies, when read, then the later one counts', () => {
  const [older, newer] = [readFileSync(witnessOf(171)), readFileSync(witnessOf(172))]
  const file = witnessOf()

  writeFileSync(file, Buffer.concat([newer.subarray(0, 512), older.subarray(512)]))
  expect(readWitnessFile(file, 'log')).toEqual(markAt(172))
  writeFileSync(file, Buffer.concat([older.subarray(0, 512), newer.subarray(512)]))
  expect(readWitnessFile(file, 'log')).toEqual(markAt(172))
})

test('given it cut anywhere or overwritten, when read, then it is the mark or none', () => {
  const { length } = readFileSync(witnessOf(172))
  for (const left of [1, 59, 60, 511, 512, length - 1]) {
    const file = witnessOf(172)
    truncateSync(file, left)

    expect(readWitnessFile(file, 'log')).toEqual(left < 60 ? undefined : markAt(172))
  }
  const file = witnessOf(172)
  writeFileSync(file, 'x'.repeat(1_024))
  expect(readWitnessFile(file, 'log')).toBeUndefined()
})

test('given marks of log and keys, when read, then each has its own, and one can be forgotten', () => {
  const file = join(temporaryFolder(), 'stores.witness')
  const [log, keys] = [openWitnessFile(file, 'log'), openWitnessFile(file, 'keys')]
  keys.write(markAt(3))
  expect(readWitnessFile(file, 'log')).toBeUndefined()
  log.write(markAt(172))
  for (const witness of [log, keys]) witness.close()

  expect(readWitnessFile(file, 'log')).toEqual(markAt(172))
  expect(readWitnessFile(file, 'keys')).toEqual(markAt(3))
  forgetWitnessed(file, 'keys')

  expect(readWitnessFile(file, 'log')).toEqual(markAt(172))
  expect(readWitnessFile(file, 'keys')).toBeUndefined()
})

test('given many marks within a second, when written, then the disk is asked to keep them once', () => {
  vi.useFakeTimers()
  let syncs = 0
  const file = join(temporaryFolder(), 'stores.witness')
  const witness = openWitnessFile(file, 'log', () => {
    syncs += 1
  })

  for (let position = 1; position <= 500; position += 1) witness.write(markAt(position))
  expect(syncs).toBe(0)
  vi.advanceTimersByTime(10_000)
  expect(syncs).toBe(1)
  witness.write(markAt(501))
  witness.close()

  expect(syncs).toBe(2)
})

test('given a disk that does not keep it, when the next mark is written, then that is said once', () => {
  vi.useFakeTimers()
  const witness = openWitnessFile(join(temporaryFolder(), 'stores.witness'), 'log', () => {
    throw new Error('the disk has failed')
  })
  witness.write(markAt(1))
  vi.advanceTimersByTime(10_000)

  expect(() => witness.write(markAt(2))).toThrow('the disk has failed')
  expect(() => witness.write(markAt(3))).not.toThrow()
  witness.close()
})

test('given a witness that cannot be read, when asked, then it is named with the next step', () => {
  const file = temporaryFolder()

  expect(() => readWitnessFile(file, 'log')).toThrow(
    `Cannot use ${file}: it is no file; move it away.`,
  )
})
