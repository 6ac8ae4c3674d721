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
