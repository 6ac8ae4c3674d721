import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FailureDetail } from '../../src/domain/failure.ts'
import { inputLimits } from '../../src/domain/jsonSchema.ts'
import {
  buildQueryReader,
  numberParameter,
  pageQuery,
  readQuery,
  readQueryTexts,
} from '../../src/http/request/queryReader.ts'
import type { Context } from '../../src/http/request/requestContext.ts'
import { draws } from '../support/draws.ts'

const known = ['limit', 'cursor', 'flow_id', 'from']

function read(query: string, names: readonly string[] = known) {
  const details: FailureDetail[] = []
  const texts = readQueryTexts(query, names, details)
  return { texts: { ...texts }, paths: details.map(({ path }) => path), details }
}

describe('the parameters of a query', () => {
  test.each([
    ['', {}],
    ['limit=1', { limit: '1' }],
    ['limit=1&cursor=a', { limit: '1', cursor: 'a' }],
    ['&&limit=1&', { limit: '1' }],
    [`${'&'.repeat(50)}limit=1`, { limit: '1' }],
    [`limit=1${'&'.repeat(60)}cursor=a`, { limit: '1', cursor: 'a' }],
    ['limit', { limit: '' }],
    ['limit=', { limit: '' }],
    ['limit==1', { limit: '=1' }],
    ['cursor=a=b', { cursor: 'a=b' }],
    ['cursor=a%26b', { cursor: 'a&b' }],
    ['cursor=a+b', { cursor: 'a b' }],
    ['cursor=a%2Bb', { cursor: 'a+b' }],
    ['cursor=%C3%A9', { cursor: 'é' }],
    ['cursor=é', { cursor: 'é' }],
    ['cursor=%00', { cursor: '\u0000' }],
    ['%6Cimit=1', { limit: '1' }],
    ['flow%5Fid=x', { flow_id: 'x' }],
    ['limit=1;cursor=a', { limit: '1;cursor=a' }],
  ])('%s are %j', (query, texts) => {
    expect(read(query)).toMatchObject({ texts, paths: [] })
  })

  test.each([
    ['nothing=1', ['nothing']],
    [`${'&'.repeat(51)}nothing=1`, ['nothing']],
    ['Limit=1', ['Limit']],
    ['limit[]=1', ['limit[]']],
    ['=1', ['']],
    ['limit=1&limit=1', ['limit']],
    ['limit=1&%6Cimit=2', ['limit']],
    ['limit&limit', ['limit']],
    ['cursor=%', ['cursor']],
    ['cursor=%E9', ['cursor']],
    ['cursor=%ED%A0%80', ['cursor']],
    ['%=1', ['%']],
    ['a=1&b=2&limit=3', ['a', 'b']],
    ['__proto__=1', ['__proto__']],
    ['constructor=1', ['constructor']],
    ['hasOwnProperty=1&toString=2', ['hasOwnProperty', 'toString']],
  ])('%s has what is not acceptable under %j', (query, paths) => {
    expect(read(query).paths).toEqual(paths)
  })

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'may be called as every object has it, and are then given once: %s',
    (name) => {
      const details: FailureDetail[] = []

      const texts = readQueryTexts(`${name}=1`, [name], details)

      expect([texts[name], details]).toEqual(['1', []])
      expect(readQueryTexts('', [name], details)[name]).toBeUndefined()
    },
  )

  test('that are encoded as browsers encode them come as they were meant', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 })
    const given = fc.dictionary(fc.constantFrom(...known), text)

    fc.assert(
      fc.property(given, (texts) => {
        expect(read(new URLSearchParams(texts).toString())).toMatchObject({ texts, paths: [] })
      }),
      { numRuns: draws(200) },
    )
  })

  test('never throw, whatever stands there, and keep what is known and well', () => {
    const junk = fc.string({
      unit: fc.constantFrom('%', '=', '&', 'a', '+', '2', 'F', 'é', '[', '\u0000'),
      maxLength: 30,
    })

    fc.assert(
      fc.property(junk, junk, (before, after) => {
        const { texts } = read(`${before}&flow_id=x&${after}`)

        expect(texts['flow_id']).toBe('x')
        expect(Object.keys(texts).every((name) => known.includes(name))).toBe(true)
      }),
      { numRuns: draws(300) },
    )
  })

  test('may be fifty, and of more none is read', () => {
    const names = Array.from({ length: 60 }, (_, at) => `p${at}`)
    const query = (count: number) =>
      names
        .slice(0, count)
        .map((name) => `${name}=1`)
        .join('&')

    expect(Object.keys(read(query(50), names).texts)).toHaveLength(50)
    expect(read(query(51), names)).toMatchObject({ texts: {}, paths: [''] })
  })

  test('that are unknown are said with what was probably meant, cut to a bearable length', () => {
    const message = (query: string) => read(query).details[0]?.message ?? ''

    expect(message('limti=1')).toContain('did you mean limit?')
    expect(message('flowid=1')).toContain('did you mean flow_id?')
    expect(message('phone_number=1')).not.toContain('did you mean')
    expect(message('phone_number=1')).toContain('Known: limit, cursor, flow_id, from.')
    expect(message(`${'a'.repeat(5000)}=1`).length).toBeLessThan(200)
    expect(read('x=1', []).details[0]?.message).toContain('None is known here.')
  })
})

describe('a whole number', () => {
  const number = (text: string | undefined, min = 0, max = Number.MAX_SAFE_INTEGER) => {
    const details: FailureDetail[] = []
    const { n } = buildQueryReader({ n: numberParameter('n', '', { min, max }) }).read(
      { n: text },
      details,
    )
    return [n, details.length]
  }

  test.each([
    ['0', 0],
    ['00', 0],
    ['7', 7],
    ['0000000000000100', 100],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('%s is %s', (text, value) => {
    expect(number(text)).toEqual([value, 0])
  })

  test.each([
    ...['', ' ', '-0', '-1', '+1', '1.0', '1e3', '0x1', '1_000', '١', '１', ' 1', '1 ', '1\n'],
    'NaN',
    ...[
      '9007199254740992',
      '9007199254740993',
      '9999999999999999',
      '00000000000000001',
      'Infinity',
    ],
  ])('%j is none', (text) => {
    expect(number(text)).toEqual([undefined, 1])
  })

  test('that is not there is no problem', () => {
    expect(number(undefined)).toEqual([undefined, 0])
  })

  test('lies within its bounds, both included', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), fc.nat(60), (one, other, value) => {
        const [min, max] = [Math.min(one, other), Math.max(one, other)]
        const inside = value >= min && value <= max

        expect(number(`${value}`, min, max)).toEqual(inside ? [value, 0] : [undefined, 1])
      }),
      { numRuns: draws(200) },
    )
  })
})

describe('a page', () => {
  const page = (querystring: string) => readQuery({ querystring } as Context, pageQuery)
  const pathsOf = (querystring: string): readonly string[] => {
    try {
      page(querystring)
      return []
    } catch (error) {
      return (error as { details: readonly FailureDetail[] }).details.map(({ path }) => path)
    }
  }

  test('has a length also when none is asked for', () => {
    expect(page('')).toEqual({ limit: inputLimits.pageDefault })
  })

  test('is asked for whole', () => {
    expect(page('limit=3&cursor=abc&min_position=17')).toEqual({
      limit: 3,
      cursor: 'abc',
      minPosition: 17,
    })
  })

  test.each([
    ['limit=0', ['limit']],
    [`limit=${inputLimits.page}`, []],
    [`limit=${inputLimits.page + 1}`, ['limit']],
    ['cursor=', ['cursor']],
    [`cursor=${'a'.repeat(inputLimits.cursor)}`, []],
    [`cursor=${'a'.repeat(inputLimits.cursor + 1)}`, ['cursor']],
    ['min_position=-1', ['min_position']],
    // every problem is said, of each parameter the first
    ['limit=0&cursor=&min_position=x&other=1', ['other', 'limit', 'cursor', 'min_position']],
    ['limit=x&limit=0', ['limit']],
    ['cursor=%&cursor=', ['cursor']],
  ])('%s has problems with %j', (query, paths) => {
    expect(pathsOf(query).toSorted()).toEqual(paths.toSorted())
  })
})
