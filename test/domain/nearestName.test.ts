import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWithinEdits, nearestName } from '../../src/domain/text/nearestName.ts'

const names = ['limit', 'cursor', 'min_position', 'flow_id', 'phone_number', 'email_address']

describe('the nearest name', () => {
  test.each([
    ['a missing character', 'phone_numbr', 'phone_number'],
    ['a character too many', 'cursorr', 'cursor'],
    ['a wrong character', 'flow-id', 'flow_id'],
    ['two characters that changed places', 'lmiit', 'limit'],
    ['another case', 'Limit', 'limit'],
    ['another way to join words', 'emailAdress', 'email_address'],
    ['an abbreviation of one name alone', 'email', 'email_address'],
    ['the name itself', 'cursor', 'cursor'],
  ])('is found for %s', (...row) => {
    const [, given, meant] = row

    expect(nearestName(given, names)).toBe(meant)
  })

  test.each([
    ['nothing', ''],
    ['what resembles no name', 'weight'],
    ['more mistakes than one for every three characters', 'lmt'],
    ['more than three mistakes, however long', 'p_hon_e_nu_mb_er'],
    ['a text that no name is as long as', 'limit'.repeat(1_000_000)],
  ])('is not guessed for %s', (...row) => {
    const [, given] = row

    expect(nearestName(given, names)).toBeUndefined()
  })

  test('is not guessed from the beginning of several', () => {
    expect(nearestName('device', ['device_id', 'device_model'])).toBeUndefined()
  })

  test('is the one with fewer mistakes, and the first of those with as many', () => {
    expect(nearestName('from_tim', ['from_to', 'from_time'])).toBe('from_time')
    expect(nearestName('lisa', ['list', 'lise'])).toBe('list')
  })
})

const word = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'd', '_'),
  minLength: 6,
  maxLength: 12,
})

test('one slip in a name of six characters or more is always understood', () =>
  fc.assert(
    fc.property(word, fc.nat(), fc.constantFrom('x', ''), (name, place, instead) => {
      const index = place % name.length
      const mistyped = name.slice(0, index) + instead + name.slice(index + 1)

      expect(nearestName(mistyped, ['zzzzzzzzzzzz', name])).toBe(name)
    }),
  ))

test('what is answered is one of the names', () =>
  fc.assert(
    fc.property(fc.string(), fc.array(word), (given, known) => {
      const found = nearestName(given, known)

      expect(found === undefined || known.includes(found)).toBe(true)
    }),
  ))

const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 })

test('whether two texts are so many edits apart is what a table of distances says', () =>
  fc.assert(
    fc.property(short, short, fc.nat({ max: 3 }), (one, other, edits) => {
      expect(isWithinEdits(one, other, edits)).toBe(countEdits(one, other) <= edits)
    }),
    { numRuns: 2_000 },
  ))

/** Insertions, deletions, substitutions and swaps of neighbours, by the ends of the texts. */
function countEdits(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length
  const [left, right] = [one.slice(0, -1), other.slice(0, -1)]
  const ways = [
    countEdits(left, other) + 1,
    countEdits(one, right) + 1,
    countEdits(left, right) + (one.at(-1) === other.at(-1) ? 0 : 1),
  ]
  if (one.length > 1 && one.at(-1) === other.at(-2) && one.at(-2) === other.at(-1)) {
    ways.push(countEdits(one.slice(0, -2), other.slice(0, -2)) + 1)
  }
  return Math.min(...ways)
}
