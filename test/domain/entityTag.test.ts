import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entityTag, isConditionMet } from '../../src/domain/text/entityTag.ts'

const representation = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))

test('equal things have equal tags, whatever the order of their fields', () =>
  fc.assert(
    fc.property(representation, (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse())

      expect(entityTag(turned)).toBe(entityTag(value))
      expect(entityTag(value)).toMatch(/^"[\w-]{27}"$/)
    }),
  ))

test('a field that is added, changed or removed changes the tag', () =>
  fc.assert(
    fc.property(representation, fc.string(), (value, name) => {
      const { [name]: _, ...without } = value

      const tags = [without, { ...without, [name]: 1 }, { ...without, [name]: 2 }].map(entityTag)

      expect(new Set(tags).size).toBe(3)
    }),
  ))

test.each([
  ['the tag of what is there', (tag: string) => [tag], true],
  ['one of several', (tag: string) => ['"x"', tag], true],
  ['another', () => ['"x"'], false],
  ['none', () => [], false],
  ['the weak form of it', (tag: string) => [`W/${tag}`], false],
  ['the tag without its quotes', (tag: string) => [tag.slice(1, -1)], false],
  ['anything', () => '*' as const, true],
] as const)('a condition on %s', (...row) => {
  const [, condition, holds] = row
  const present = { id: 'rul_1', version_id: 'ver_1' }

  expect(isConditionMet(condition(entityTag(present)), present)).toBe(holds)
  expect(isConditionMet(condition(entityTag(present)), undefined)).toBe(false)
})
