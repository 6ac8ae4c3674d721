import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import type { EntityCondition } from '../../src/domain/text/entityTag.ts'
import type { Context } from '../../src/http/request/requestContext.ts'
import { matchesIfNoneMatch, readIfMatch } from '../../src/http/request/requestHeaders.ts'
import { draws } from '../support/draws.ts'

const withHeader = (name: string, value: string | undefined) =>
  ({ req: { headers: value === undefined ? {} : { [name]: value } } }) as unknown as Context

const ifMatch = (value: string | undefined): EntityCondition | undefined =>
  readIfMatch(withHeader('if-match', value))

const known = (value: string | undefined, tag: string | undefined): boolean =>
  matchesIfNoneMatch(withHeader('if-none-match', value), tag)

/** The characters of an opaque tag (RFC 9110, 8.8.3), as a header arrives: one unit for each byte. */
const tagUnits = [
  0x21,
  ...Array.from({ length: 0x7e - 0x23 + 1 }, (_, at) => 0x23 + at),
  0x80,
  0xff,
]
const opaque = fc
  .string({
    unit: fc.constantFrom(...tagUnits.map((code) => String.fromCharCode(code))),
    maxLength: 12,
  })
  .map((text) => `"${text}"`)
const anyTag = fc.tuple(fc.constantFrom('', 'W/'), opaque).map((parts) => parts.join(''))
const gap = fc.constantFrom('', ' ', '\t', '  ')

describe('If-Match', () => {
  test('is no condition where it is not sent', () => {
    expect(ifMatch(undefined)).toBeUndefined()
  })

  test.each([
    ['*', '*'],
    [' * ', '*'],
    ['"a"', ['"a"']],
    ['""', ['""']],
    ['"a", "b"', ['"a"', '"b"']],
    ['"a","b"', ['"a"', '"b"']],
    ['"a" ,\t"b"', ['"a"', '"b"']],
    // empty elements of a list are to be ignored (RFC 9110, 5.6.1.2)
    ['"a", , "b",', ['"a"', '"b"']],
    [', "a"', ['"a"']],
    ['W/"a"', ['W/"a"']],
    ['W/"a", "a"', ['W/"a"', '"a"']],
    // what stands between the quotes is the tag, commas and all
    ['"a,b"', ['"a,b"']],
    ['"a, b"', undefined],
    ['"a,b", W/"c,d"', ['"a,b"', 'W/"c,d"']],
    ['"*"', ['"*"']],
    ['"W/"', ['"W/"']],
  ])('%s asks for %j', (header, condition) => {
    if (condition === undefined) expect(() => ifMatch(header)).toThrow(Failure)
    else expect(ifMatch(header)).toEqual(condition)
  })

  test.each([
    ...['', ' ', ',', ', ,', 'a', '"a', 'a"', "'a'", '"a"b', '"a" "b"', '"a""b"', '*, "a"'],
    '"a", *',
    ...['w/"a"', 'W"a"', 'W/ "a"', 'W/a', '"a b"', '"\u007f"', '"\u0000"', '**', '"a"; q=1'],
  ])('%j is refused, under its name', (header) => {
    const failure = (() => {
      try {
        return ifMatch(header)
      } catch (error) {
        return error
      }
    })()

    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({ code: 'invalid_request', details: [{ path: 'If-Match' }] })
  })

  test('names every tag of a list, in order, whatever stands between them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(gap, anyTag, gap), { minLength: 1, maxLength: 20 }),
        (parts) => {
          const header = parts.map((part) => part.join('')).join(',')

          expect(ifMatch(header)).toEqual(parts.map(([, tag]) => tag))
        },
      ),
      { numRuns: draws(200) },
    )
  })

  test('names at most fifty', () => {
    const list = (count: number) => Array.from({ length: count }, (_, at) => `"${at}"`)

    expect(ifMatch(list(50).join(', '))).toEqual(list(50))
    expect(() => ifMatch(list(51).join(', '))).toThrow(Failure)
  })

  test('is read as far as four thousand characters', () => {
    expect(ifMatch(`"${'a'.repeat(4094)}"`)).toHaveLength(1)
    expect(() => ifMatch(`"${'a'.repeat(4095)}"`)).toThrow(Failure)
  })

  test('takes no longer for what is nearly a list', () => {
    for (const nearly of ['"', ',', '"a",', 'W/', ' ', '" ', '""']) {
      const header = nearly.repeat(4096 / nearly.length)

      expect(() => ifMatch(`${header}x`)).toThrow(Failure)
    }
  })
})

describe('If-None-Match', () => {
  test.each([
    [undefined, '"a"', false],
    ['"a"', '"a"', true],
    ['"b"', '"a"', false],
    ['"b", "a"', '"a"', true],
    ['*', '"a"', true],
    // the weak comparison (RFC 9110, 13.1.2)
    ['W/"a"', '"a"', true],
    ['"A"', '"a"', false],
    ['"a,b"', '"a,b"', true],
    ['"x,"a","y"', '"a"', false],
    // what cannot be read names nothing
    ['a', 'a', false],
    ['', '"a"', false],
    ['"a" "b"', '"a"', false],
    // what has no tag is not known by any
    ['*', undefined, false],
    ['"a"', undefined, false],
  ])('%j knows %j: %s', (header, tag, expected) => {
    expect(known(header, tag)).toBe(expected)
  })

  test('knows a tag exactly where the list has it, weak or strong', () => {
    fc.assert(
      fc.property(
        fc.array(anyTag, { minLength: 1, maxLength: 8 }),
        opaque,
        fc.nat(),
        (tags, other, at) => {
          const header = tags.join(', ')
          const strong = tags[at % tags.length]?.replace(/^W\//, '')

          expect(known(header, strong)).toBe(true)
          expect(known(header, other)).toBe(tags.includes(other) || tags.includes(`W/${other}`))
        },
      ),
      { numRuns: draws(150) },
    )
  })
})
