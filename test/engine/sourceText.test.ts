import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type Expression, listChildren, visitNodes } from '../../src/engine/language/expression.ts'
import { parseSyntax } from '../../src/engine/language/parse/parseRule.ts'
import { createRangeLocator } from '../../src/engine/language/syntax.ts'
import { unparse } from '../../src/engine/language/unparse.ts'
import { draws } from '../support/draws.ts'
import { anyRule } from './support/arbitraryGuardedRule.ts'
import { expressionOf, outcomeOf, problemsOf, withoutPlaces } from './support/evaluate.ts'

/** The tokens of a rule, literals whole. */
const tokensOf = (text: string): readonly string[] =>
  text.match(
    /"(?:[^"\\]|\\.)*"|[\p{L}_][\p{L}\p{N}_]*|\d+\.\d+|\d+|&&|\|\||[=!<>]=|\s+|[\s\S]/gu,
  ) ?? []

describe('a rule means the same however it is laid out', () => {
  const gap = fc.constantFrom(' ', '\n', '\t', '  ', ' // a remark "with" && signs\n', '\r\n')

  test('with white space and comments between any two tokens', () => {
    fc.assert(
      fc.property(anyRule, fc.array(gap, { minLength: 1, maxLength: 8 }), (text, gaps) => {
        const laidOut = tokensOf(text)
          .filter((token) => token.trim() !== '')
          .map((token, at) => token + (gaps[at % gaps.length] ?? ''))
          .join('')
        fc.pre(laidOut.length <= 4096)

        expect(problemsOf(laidOut)).toEqual([])
        expect(withoutPlaces(expressionOf(laidOut))).toEqual(withoutPlaces(expressionOf(text)))
      }),
      { numRuns: draws(500) },
    )
  })

  test('in brackets', () => {
    fc.assert(
      fc.property(anyRule, (text) => {
        expect(withoutPlaces(expressionOf(`((${text}))`))).toEqual(
          withoutPlaces(expressionOf(text)),
        )
      }),
      { numRuns: draws(300) },
    )
  })
})

describe('every part has the place where it begins', () => {
  /** What of the text stands at a place. */
  const textAt = (text: string, [line, column]: Expression['at']) =>
    [...(text.split('\n')[line - 1] ?? '')].slice(column - 1).join('')

  /** What a part begins with, where that is written one way only. */
  function startOf(node: Expression): string {
    switch (node.kind) {
      case 'read':
        return node.convert === undefined ? (node.name.split('.')[0] ?? '') : `${node.convert}(`
      case 'has':
        return 'has('
      case 'variable':
        return node.name
      case 'list':
        return '['
      case 'literal':
        return node.type === 'bool' ? String(node.value) : ''
      default:
        return ''
    }
  }

  test('names, variables and literals begin with themselves', () => {
    const wrapped = anyRule.map((text) => text.replaceAll(' && ', '\n  && '))

    fc.assert(
      fc.property(wrapped, (text) => {
        visitNodes(expressionOf(text), (node) => {
          const start = startOf(node)

          expect(textAt(text, node.at).slice(0, start.length)).toBe(start)
        })
      }),
      { numRuns: draws(500) },
    )
  })

  test('no part begins before the one it is a part of', () => {
    const before = (a: Expression['at'], b: Expression['at']) =>
      a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])

    fc.assert(
      fc.property(anyRule, (text) => {
        visitNodes(expressionOf(text), (node) => {
          for (const child of listChildren(node)) expect(before(child.at, node.at)).toBe(false)
        })
      }),
      { numRuns: draws(500) },
    )
  })

  test('counted in lines and characters, whatever the characters are', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', '😀', 'é', '\n', '\r', '"'),
      maxLength: 40,
    })

    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, from, more) => {
        const characters = [...text]
        const start = from % (characters.length + 1)
        const end = start + (more % (characters.length - start + 1))
        const offset = (count: number) => characters.slice(0, count).join('').length

        const spot = createRangeLocator(text)(offset(start), offset(end))

        const before = characters.slice(0, start)
        const lineStart = before.lastIndexOf('\n') + 1
        const inside = characters.slice(start, end)
        const firstLine = inside.includes('\n') ? inside.indexOf('\n') : inside.length
        expect(spot).toEqual({
          at: [before.filter((one) => one === '\n').length + 1, start - lineStart + 1],
          length: Math.max(1, firstLine),
        })
      }),
      { numRuns: draws(1000) },
    )
  })
})

describe('a text written in a rule is that text', () => {
  test.each([
    ["'it\\'s'", "it's"],
    ['"a\\tb\\nc"', 'a\tb\nc'],
    ['"\\x41\\101\\u0041\\U00000041"', 'AAAA'],
    ['r"\\d+"', '\\d+'],
    ['"""two\nlines"""', 'two\nlines'],
    ["'''it's'''", "it's"],
    ['"😀é"', '😀é'],
  ])('%s', (literal, text) => {
    expect(outcomeOf(`signal.ext.a == ${literal}`, { 'signal.ext.a': text })).toBe('true')
  })

  test.each([
    ['42', 42],
    ['0x2a', 42],
    ['-0x2A', -42],
    ['007', 7],
  ])('so is the int %s', (literal, value) => {
    expect(outcomeOf(`int(signal.ext.a) == ${literal}`, { 'signal.ext.a': String(value) })).toBe(
      'true',
    )
  })

  test.each([
    ['1.5', 1.5],
    ['1e3', 1000],
    ['1.5e-3', 0.0015],
    ['-2.0', -2],
    ['5.0E2', 500],
  ])('so is the double %s', (literal, value) => {
    expect(outcomeOf(`double(signal.ext.a) == ${literal}`, { 'signal.ext.a': String(value) })).toBe(
      'true',
    )
  })
})

describe('operators bind as the guide says', () => {
  const same = (a: string, b: string) =>
    expect(withoutPlaces(expressionOf(a))).toEqual(withoutPlaces(expressionOf(b)))

  test.each([
    ['true || false && false', 'true || (false && false)'],
    ['true && false || true', '(true && false) || true'],
    ['!true && false', '(!true) && false'],
    ['1 + 2 * 3 == 7', '(1 + (2 * 3)) == 7'],
    ['1 - 2 - 3 == -4', '((1 - 2) - 3) == (-4)'],
    ['8 / 4 / 2 == 1', '((8 / 4) / 2) == 1'],
    ['7 - 2 * 3 % 4 == 5', '(7 - ((2 * 3) % 4)) == 5'],
    ['1 < 2 == true', '(1 < 2) == true'],
    ['1 + 1 in [2]', '(1 + 1) in [2]'],
    ['true ? false : true ? false : true', 'true ? false : (true ? false : true)'],
    ['true || false ? 1 == 1 : 2 == 2', '(true || false) ? (1 == 1) : (2 == 2)'],
    ['-int(signal.ext.n) + 1 == 0', '(-int(signal.ext.n)) + 1 == 0'],
    ['"a" + "b" == "ab"', '("a" + "b") == "ab"'],
  ])('%s is %s', (without, within) => {
    same(without, within)
  })

  test('a chain is one part, however its operands are grouped from the left', () => {
    const { kind, ...chain } = expressionOf('((true && false) && true) && list.block')

    expect(kind).toBe('call')
    expect('args' in chain && chain.args).toHaveLength(4)
    expect(unparse(expressionOf('true && (false && (true && list.block))'))).toBe(
      'true && (false && (true && list.block))',
    )
  })
})

test('the characters of a rule are counted once, however many parts it has', () => {
  const items = Array.from({ length: 250 }, (_, at) => `"item ${at}"`).join(', ')
  const counted = vi.spyOn(String.prototype, Symbol.iterator)

  const parsed = parseSyntax(`signal.ext.a in [${items}]`)
  const times = counted.mock.calls.length
  counted.mockRestore()

  expect(parsed).toHaveProperty('syntax')
  expect(times).toBeLessThan(10)
})
