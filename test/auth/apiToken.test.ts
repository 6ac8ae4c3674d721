import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeApiToken, parseApiToken, secretMatches } from '../../src/auth/apiToken.ts'
import { newId } from '../../src/domain/ids.ts'

const chance = { bytes: (count: number) => randomBytes(count) }
const clock = { nowMs: () => 1_760_000_000_000 }

test('a token is read back into its parts, and its secret has its hash', () => {
  const accountId = newId('acc', clock, chance)
  const tokenId = newId('tok', clock, chance)

  const { text, hash } = makeApiToken(accountId, tokenId, chance)

  const parts = parseApiToken(text)
  expect(parts).toMatchObject({ accountId, tokenId })
  expect(secretMatches(parts?.secret ?? '', hash)).toBe(true)
  expect(text).not.toContain(hash)
})

test('another secret does not have the hash', () => {
  const made = makeApiToken(newId('acc', clock, chance), newId('tok', clock, chance), chance)
  const other = makeApiToken(newId('acc', clock, chance), newId('tok', clock, chance), chance)

  expect(secretMatches(parseApiToken(other.text)?.secret ?? '', made.hash)).toBe(false)
  expect(secretMatches('', made.hash)).toBe(false)
  expect(secretMatches(parseApiToken(made.text)?.secret ?? '', '')).toBe(false)
})

test('what does not have the form of a token is none', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      expect(parseApiToken(text)).toBeUndefined()
    }),
  )
})
