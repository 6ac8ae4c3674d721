import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Expression, visitNodes } from '../../src/engine/language/expression.ts'
import { unparse } from '../../src/engine/language/unparse.ts'
import { formatDuration, formatTimestamp } from '../../src/engine/language/values/time.ts'
import { draws } from '../support/draws.ts'
import { expressionOf, outcomeOf, problemsOf, withoutPlaces } from './support/evaluate.ts'

function namesOf(expression: Expression): readonly string[] {
  const names: string[] = []
  visitNodes(expression, (node) => {
    if (node.kind === 'read' || node.kind === 'has') names.push(node.name)
  })
  return names
}

/** Everything that a text can be made of, halves of pairs and what must be escaped included. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...['a', '"', "'", '\\', '\n', '\r', '\t', '\0', '\u007f', '\u2028', '\ufeff', '😀'],
      ...['/', '`', '$', '{'],
    ),
    fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
  ),
  minLength: 1,
  maxLength: 8,
})

describe('a text that is written in a rule', () => {
  test('is that text to the rule, and in the canonical text of it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const rule = `signal.ext.a == ${JSON.stringify(text)}`
        fc.pre(problemsOf(rule).length === 0)
        const expression = expressionOf(rule)

        expect(outcomeOf(expression, { 'signal.ext.a': text })).toBe('true')
        expect(outcomeOf(expression, { 'signal.ext.a': `${text}a` })).toBe('false')
        expect(withoutPlaces(expressionOf(unparse(expression)))).toEqual(withoutPlaces(expression))
      }),
      { numRuns: draws(400) },
    )
  })

  test('is refused only where it has half a character', () => {
    const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

    fc.assert(
      fc.property(anyText, (text) => {
        const refused = problemsOf(`signal.ext.a == ${JSON.stringify(text)}`).length > 0

        if (!halves.test(text)) expect([text, refused]).toEqual([text, false])
      }),
      { numRuns: draws(400) },
    )
  })
})

describe('a key of the caller’s own', () => {
  test('is the name that the rule reads, whatever characters it has', () => {
    fc.assert(
      fc.property(anyText, (key) => {
        const rule = `signal.ext[${JSON.stringify(key)}] == "x"`
        fc.pre(problemsOf(rule).length === 0)
        const expression = expressionOf(rule)

        expect(namesOf(expression)).toEqual([`signal.ext.${key}`])
        expect(withoutPlaces(expressionOf(unparse(expression)))).toEqual(withoutPlaces(expression))
        expect(outcomeOf(expression, { [`signal.ext.${key}`]: 'x' })).toBe('true')
      }),
      { numRuns: draws(300) },
    )
  })

  test('is written behind a dot exactly where it is a name of CEL', () => {
    const key = fc.oneof(
      fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,6}$/),
      fc.constantFrom(
        ...['in', 'true', 'false', 'null', '1a', 'a-b', 'é', 'a.b', 'as', 'has', 'signal', '_'],
        '__proto__',
      ),
    )

    fc.assert(
      fc.property(key, (name) => {
        const canonical = unparse(expressionOf(`has(signal.ext[${JSON.stringify(name)}])`))

        expect(namesOf(expressionOf(canonical))).toEqual([`signal.ext.${name}`])
        if (canonical === `has(signal.ext.${name})`) expect(name).toMatch(/^[A-Za-z_]\w*$/)
      }),
      { numRuns: draws(200) },
    )
  })
})

describe('a time that is written in a rule', () => {
  test('is that time in its canonical text', () => {
    const moment = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })
    const span = fc.integer({ min: -315_576_000_000_000, max: 315_576_000_000_000 })

    fc.assert(
      fc.property(moment, span, (ms, length) => {
        const rule = `request.time == timestamp("${formatTimestamp(ms)}") && duration(signal.ext.d) == duration("${formatDuration(length)}")`
        const expression = expressionOf(rule)

        expect(unparse(expression)).toBe(rule)
        expect(
          outcomeOf(expression, { 'request.time': ms, 'signal.ext.d': formatDuration(length) }),
        ).toBe('true')
      }),
      { numRuns: draws(150) },
    )
  })
})

describe('a number that is written in a rule', () => {
  test('is that number in its canonical text', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 })

    fc.assert(
      fc.property(number, fc.constantFrom('', '-'), (value, sign) => {
        const written = /[.e]/.test(String(value)) ? String(value) : `${value}.0`
        const expression = expressionOf(`double(signal.ext.d) == ${sign}${written}`)

        expect(outcomeOf(expression, { 'signal.ext.d': `${sign}${value}` })).toBe('true')
        expect(withoutPlaces(expressionOf(unparse(expression)))).toEqual(withoutPlaces(expression))
      }),
      { numRuns: draws(300) },
    )
  })
})
