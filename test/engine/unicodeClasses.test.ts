import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { compilePattern } from '../../src/engine/language/pattern/compilePattern.ts'
import { unicodeRanges } from '../../src/engine/language/pattern/unicodeRanges.ts'

interface Ranges {
  readonly length: number
  readonly get: (at: number) => readonly [first: number, last: number, step: number]
}

interface Library {
  readonly STABLE_CATEGORY_NAMES: ReadonlySet<string>
  readonly STABLE_SCRIPT_NAMES: ReadonlySet<string>
  readonly NEW_SCRIPT_NAMES: ReadonlySet<string>
  readonly CATEGORIES: { readonly get: (name: string) => Ranges | null }
  readonly FOLD_CATEGORIES: { readonly get: (name: string) => Ranges | null }
  /** What it makes itself, by asking the platform for every character. */
  readonly buildForProperty: (name: string) => Ranges | null
  readonly buildFoldOverlay: (name: string) => Ranges | null
}

const require = createRequire(import.meta.url)
const path = join(dirname(require.resolve('@bufbuild/re2')), 'UnicodeTables.js')
const { UnicodeTables: library } = require(path) as {
  readonly UnicodeTables: Library
}

function charactersOf(ranges: Ranges | null): readonly number[] {
  const found: number[] = []
  for (let at = 0; at < (ranges?.length ?? 0); at += 1) {
    const [first = 0, last = -1, step = 1] = ranges?.get(at) ?? []
    for (let code = first; code <= last; code += step) found.push(code)
  }
  return found
}

const matches = (pattern: string, text: string): boolean => {
  const compiled = compilePattern(pattern)
  if (typeof compiled === 'string') throw new Error(compiled)
  return compiled.test(text)
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the Unicode classes of patterns', () => {
  test('are kept for every name that the library would ask the platform for', () => {
    const names = [...library.STABLE_CATEGORY_NAMES, ...library.STABLE_SCRIPT_NAMES]

    expect(Object.keys(unicodeRanges).sort()).toEqual(names.sort())
  })

  test
    .runIf(process.versions['unicode'] === '17.0')
    .each(['Lu', 'Nd', 'Zs', 'Greek', 'Thai', 'LC'])(
    'are those of a platform of their version: %s',
    (name) => {
      expect(charactersOf(library.CATEGORIES.get(name))).toEqual(
        charactersOf(library.buildForProperty(name)),
      )
      expect(charactersOf(library.FOLD_CATEGORIES.get(name))).toEqual(
        charactersOf(library.buildFoldOverlay(name)),
      )
    },
  )

  test('of a rule are made without looking at every character there is', () => {
    const looked = vi.spyOn(String, 'fromCodePoint')
    const names = Object.keys(unicodeRanges).filter((name) => name.length < 9)

    for (let first = 0; first < names.length; first += 30) {
      const classes = names.slice(first, first + 30).map((name) => `\\p{${name}}`)
      expect(compilePattern(`(?i)[${classes.join('')}]+${first}`)).toBeTypeOf('object')
    }

    expect(names.length).toBeGreaterThan(100)
    expect(looked.mock.calls.length).toBeLessThan(5_000)
  })

  test.each([
    [String.raw`^\pL+$`, 'añЖ語', 'a1'],
    [String.raw`^\p{Greek}+$`, 'λόγος', 'logos'],
    [String.raw`^\P{Greek}+$`, 'logos', 'lόgos'],
    [String.raw`^[^\p{Lu}\d]+$`, 'straße', 'Straße'],
    [String.raw`^(?i)\p{Lu}+$`, 'straſe', '1'],
    [String.raw`^\p{Han}+$`, '語𠀀', 'ご'],
    [String.raw`^\p{Garay}$`, '\u{10d50}', 'a'],
  ])('say what they say of any text: %s', (pattern, is, isNot) => {
    expect([matches(pattern, is), matches(pattern, isNot)]).toEqual([true, false])
  })
})
