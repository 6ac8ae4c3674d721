import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonicalizePassword,
  listPasswordProblems,
  passwordUnitsMax,
} from '../../src/auth/passwordPolicy.ts'
import { Failure } from '../../src/domain/failure.ts'
import { defaultAppSettings, type PasswordPolicy } from '../../src/domain/sessions/appSettings.ts'

const free: PasswordPolicy = {
  min_length: 1,
  max_length: 1_024,
  uppercase: 0,
  lowercase: 0,
  numbers: 0,
  symbols: 0,
}

function problems(text: string, policy: Partial<PasswordPolicy> = {}): readonly string[] {
  return listPasswordProblems({ ...free, ...policy }, canonicalizePassword(text))
}

describe('the form of a password', () => {
  test('is the same from every keyboard', () => {
    expect(canonicalizePassword('Zoe\u0308 pa\u030Assword')).toBe(
      canonicalizePassword('Zo\u00EB p\u00E5ssword'),
    )
  })

  test('tells apart what NFC tells apart, spaces, case and NUL among it', () => {
    const texts = ['ﬁsh', 'fish', 'Fish', ' fish', 'fish ', 'fish\u0000', 'fish\u0000ing']

    expect(new Set(texts.map(canonicalizePassword)).size).toBe(texts.length)
  })

  test.each(['\ud800', 'a\udc00b', 'correct horse \udbff'])(
    'is none of a lone surrogate',
    (text) => {
      expect(() => canonicalizePassword(text)).toThrow(Failure)
    },
  )

  test('is none of what is longer than any application takes', () => {
    const long = 'x'.repeat(10_000)

    expect(canonicalizePassword(long)).toBeUndefined()
    expect(problems(long)).toEqual(['Must have at most 1024 characters.'])
  })

  test('has room for the longest of four-byte characters, and no more', () => {
    const longest = '\u{1F511}'.repeat(1_024)

    expect(problems(longest)).toEqual([])
    expect(problems(`${longest}x`)).toEqual(['Must have at most 1024 characters.'])
    expect(longest.length).toBeLessThan(passwordUnitsMax)
  })
})

describe('the length', () => {
  test('is counted in code points of the composed form', () => {
    expect(problems('e\u0301'.repeat(7), { min_length: 8 })).toEqual([
      'Must have at least 8 characters.',
    ])
    expect(problems('\u{1F511}'.repeat(8), { min_length: 8, max_length: 8 })).toEqual([])
    expect(problems('\u{1F511}'.repeat(9), { max_length: 8 })).toEqual([
      'Must have at most 8 characters.',
    ])
  })

  test('is by default 8 to 128, of whatever characters', () => {
    const usual = defaultAppSettings.password

    expect(problems('only it', usual)).toHaveLength(1)
    expect(problems('only it!', usual)).toEqual([])
    expect(problems('x'.repeat(128), usual)).toEqual([])
    expect(problems('x'.repeat(129), usual)).toHaveLength(1)
  })
})

describe('the kinds of characters', () => {
  const each = { uppercase: 1, lowercase: 1, numbers: 1, symbols: 1 }

  test.each([
    'Aa1!',
    'Ωω٣_',
    'ÉéÇ९ ',
    // neither a letter of Lu or Ll nor a digit of Nd: title case, ideographs, Roman and other numbers, a mark
    'Aa1ǅ',
    'Aa1漢',
    'Aa1½',
    'Aa1\u0000',
  ])('of %j are those of Unicode', (text) => {
    expect(problems(text, each)).toEqual([])
  })

  test('that are too few are all named at once, and the password is not', () => {
    const found = problems('secretsecret', { uppercase: 2, numbers: 3, symbols: 1, min_length: 20 })

    expect(found).toEqual([
      'Must have at least 20 characters.',
      'Must have at least 2 upper-case letters.',
      'Must have at least 3 digits.',
      'Must have at least 1 other character.',
    ])
    expect(found.join()).not.toContain('secret')
  })
})

test('whatever the text, it is taken exactly when every count of its characters is enough', () => {
  const policies = fc.record({
    min_length: fc.integer({ min: 1, max: 6 }),
    max_length: fc.integer({ min: 6, max: 12 }),
    uppercase: fc.nat(2),
    lowercase: fc.nat(2),
    numbers: fc.nat(2),
    symbols: fc.nat(2),
  })
  const texts = fc.string({ unit: 'binary', maxLength: 14 })
  fc.assert(
    fc.property(policies, texts, (policy, text) => {
      const all = [...text.normalize('NFC')]
      const count = (pattern: RegExp) => all.filter((one) => pattern.test(one)).length
      const letters = [count(/\p{Lu}/u), count(/\p{Ll}/u), count(/\p{Nd}/u)] as const
      const others = all.length - letters[0] - letters[1] - letters[2]
      const fits =
        all.length >= policy.min_length &&
        all.length <= policy.max_length &&
        letters[0] >= policy.uppercase &&
        letters[1] >= policy.lowercase &&
        letters[2] >= policy.numbers &&
        others >= policy.symbols

      expect(problems(text, policy).length === 0).toBe(fits)
    }),
  )
})
