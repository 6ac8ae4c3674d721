import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Schema } from '../../src/domain/jsonSchema.ts'
import { encode } from '../../src/events/catalogue.ts'
import {
  boolean,
  epochMs,
  integer,
  integerFrom,
  list,
  mapOf,
  nonEmptyString,
  number,
  object,
  oneOf,
  scalar,
  text,
  tuple,
} from '../../src/events/recording/eventSchema.ts'
import { createSchemaChecker } from '../../src/events/recording/eventTable.ts'
import { expressionRef } from '../../src/events/recording/expressionSchema.ts'
import { context, type Defined, definitionsByType, sampleKeyring, samples } from './samples.ts'

/** Whether an event of the type is whole without the member. */
function mayBeAbsent(type: string, member: string): boolean {
  const { schema, personal } = definitionsByType.get(type) as Defined
  const own = personal[member]
  return own ? own.optional === true : !schema.required.includes(member)
}

const checker = createSchemaChecker()
const fits = (schema: Schema, value: unknown): boolean => {
  try {
    checker(schema, 'data')(value)
    return true
  } catch {
    return false
  }
}

const pair = tuple(nonEmptyString, integer)
const person = object({ name: nonEmptyString, age: integerFrom(0) }, { tags: list(text) })

describe('what schemas are made of', () => {
  type Case = readonly [
    what: string,
    schema: Schema,
    good: readonly unknown[],
    bad: readonly unknown[],
  ]
  const cases: readonly Case[] = [
    ['text', text, ['', 'a', 'ü🛒'], [1, null, ['a'], {}]],
    ['word', nonEmptyString, ['a', ' '], ['', 0, null]],
    ['flag', boolean, [true, false], ['true', 0, null]],
    ['number', number, [0, -1.5, 1e300], ['1', null, true]],
    ['integer', integer, [0, -3, Number.MAX_SAFE_INTEGER], [0.5, '1', null]],
    ['integerFrom(2)', integerFrom(2), [2, 3], [1, 2.5, '2']],
    ['time', epochMs, [0, 1_700_000_000_000], [-1, 0.5, '2026-01-01']],
    ['scalar', scalar, ['a', '', 0, -0.5, true], [null, [], {}]],
    ['list of words', list(nonEmptyString), [[], ['a', 'b']], [['a', ''], 'a', { 0: 'a' }, [1]]],
    ['map of integers', mapOf(integer), [{}, { a: 1, b: 2 }], [{ a: '1' }, [], null]],
    ['pair', pair, [['a', 1]], [['a'], ['a', 1, 2], [1, 'a'], [], {}]],
    ['one of two', oneOf(['A', 'B']), ['A', 'B'], ['C', '', 'a', null, ['A']]],
    [
      'object',
      person,
      [
        { name: 'Ann', age: 3 },
        { name: 'Ann', age: 3, tags: ['a'] },
      ],
      [
        { name: 'Ann' },
        { age: 3 },
        { name: 'Ann', age: -1 },
        { name: 'Ann', age: 3, tags: 'a' },
        { name: 'Ann', age: 3, other: 1 },
        { name: 'Ann', age: 3, tags: null },
        [],
        null,
      ],
    ],
  ]

  test.each(cases.map((one) => ({ one, what: one[0] })))('$what', ({ one }) => {
    const [, schema, good, bad] = one
    expect(good.filter((value) => !fits(schema, value))).toEqual([])
    expect(bad.filter((value) => fits(schema, value))).toEqual([])
  })

  test('what does not fit is said by its place, never by its value', () => {
    const check = checker(object({ people: list(person) }), 'data')

    expect(() =>
      check({
        people: [
          { name: 'Ann', age: 3 },
          { name: 'secret', age: 'x' },
        ],
      }),
    ).toThrow('data/people/1/age must be integer')
    expect(() => check({ people: [{ name: 'Ann', age: 3, secret: 'x' }] })).toThrow(
      /^data\/people\/0 must NOT have additional properties$/,
    )
  })
})

describe('expressions', () => {
  const at = [1, 2]
  const yes = { kind: 'literal', type: 'bool', value: true, at }
  const nodes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    literal: yes,
    list: { kind: 'list', items: [yes, yes], at },
    read: { kind: 'read', name: 'signal.ip', at },
    'read with a conversion': { kind: 'read', name: 'signal.ext.n', convert: 'int', at },
    has: { kind: 'has', name: 'signal.ip', at },
    variable: { kind: 'variable', name: 'x', at },
    call: { kind: 'call', operator: '_&&_', args: [yes, yes], at },
    exists: { kind: 'exists', variable: 'x', list: { kind: 'list', items: [], at }, body: yes, at },
    all: { kind: 'all', variable: 'x', list: { kind: 'list', items: [], at }, body: yes, at },
  }

  test.each(Object.entries(nodes))('%s', (_, node) => {
    expect(fits(expressionRef, node)).toBe(true)
    expect(fits(expressionRef, { ...node, more: 1 })).toBe(false)
    expect(fits(expressionRef, { ...node, kind: 'other' })).toBe(false)
    for (const member of Object.keys(node)) {
      const { [member]: _gone, ...rest } = node
      expect(fits(expressionRef, rest)).toBe(member === 'convert')
      expect(fits(expressionRef, { ...node, [member]: null })).toBe(false)
    }
  })

  test('are refused however deep the fault stands', () => {
    const wrap = (node: unknown): unknown => ({ kind: 'call', operator: '!', args: [node], at })
    const deep = (node: unknown) => wrap(wrap(wrap({ kind: 'list', items: [wrap(node)], at })))

    expect(fits(expressionRef, deep(yes))).toBe(true)
    expect(fits(expressionRef, deep({ ...yes, type: 'bytes' }))).toBe(false)
    expect(fits(expressionRef, deep({ ...yes, at: [0, 1] }))).toBe(false)
    expect(fits(expressionRef, deep({ ...yes, at: [1] }))).toBe(false)
  })
})

describe('what is recorded', () => {
  test('is refused with any member too few or too many, whatever the type', async () => {
    for (const [type, data] of Object.entries(samples)) {
      const keyring = await sampleKeyring()
      const write = (changed: object) =>
        encode({ event: { type, data: changed }, context, index: 0 }, keyring)

      expect(() => write({ ...data, more: 1 })).toThrow(`${type} cannot be recorded`)
      for (const member of Object.keys(data)) {
        const { [member]: _gone, ...rest } = data as Record<string, unknown>
        if (mayBeAbsent(type, member)) expect(() => write(rest)).not.toThrow()
        else expect(() => write(rest), `${type} without ${member}`).toThrow()
      }
      await keyring.close()
    }
  })

  test('holds texts of any characters as they are', async () => {
    const keyring = await sampleKeyring()
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
        const data = { ...samples.FlowPublished, name }
        const written = encode(
          { event: { type: 'FlowPublished', data }, context, index: 0 },
          keyring,
        )

        expect(JSON.parse(written.data)).toEqual(data)
      }),
    )
    await keyring.close()
  })
})
