import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeEach, expect, test, vi } from 'vitest'
import { canonicalPhone } from '../../src/domain/phone.ts'

const parsed = vi.hoisted(() => ({ count: 0 }))
vi.mock('libphonenumber-js/max', async (original) => {
  const library = await original<typeof import('libphonenumber-js/max')>()
  const parsePhoneNumberFromString: typeof library.parsePhoneNumberFromString = (...given) => {
    parsed.count += 1
    return library.parsePhoneNumberFromString(...given)
  }
  return { ...library, parsePhoneNumberFromString }
})

beforeEach(() => {
  parsed.count = 0
})

test('a number that was read lately is not taken apart again', () => {
  const first = canonicalPhone('+33 6 12 34 56 78')
  const taken = parsed.count

  expect([canonicalPhone('+33 6 12 34 56 78'), canonicalPhone(' +33 6 12 34 56 78 ')]).toEqual([
    first,
    first,
  ])
  expect(taken).toBeGreaterThan(0)
  expect(parsed.count).toBe(taken)
})

test('what is no number is looked at each time, so that nobody fills memory with it', () => {
  canonicalPhone('+33 6')
  const taken = parsed.count

  canonicalPhone('+33 6')

  expect(parsed.count).toBe(2 * taken)
})

test('a number that is cut out of a long text is remembered without that text', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const heldBytes = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const chunkBytes = 65_536
  const read = (from: number, count: number): void => {
    for (let at = from; at < from + count; at += 1) {
      const chunk = Buffer.from(`+4917112${10_000 + at},x${'\n'.repeat(chunkBytes)}`).toString()
      const [line = ''] = chunk.split('\n')
      expect(canonicalPhone(line.slice(0, -2))).toBe(`+4917112${10_000 + at}`)
    }
  }
  read(0, 20)
  const before = heldBytes()

  read(20, 300)

  expect(heldBytes() - before).toBeLessThan((300 * chunkBytes) / 4)
})
