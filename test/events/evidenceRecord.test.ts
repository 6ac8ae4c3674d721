import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type EvidenceItem, evidenceSources } from '../../src/engine/run/evidence.ts'
import {
  decodeEvidence,
  type EvidenceNameIndex,
  encodeEvidence,
  indexEvidenceNames,
} from '../../src/events/evaluation/evaluationEvents.ts'
import { expressionOf } from '../engine/support/evaluate.ts'

const someNames = ['signal.ip', 'signal.ext.total', 'signal.ext.é', 'list.block', 'list.allow']
const apart = ['target.phone_number', 'target.email_address', 'request.time']
const inOrder = (some: readonly string[]): EvidenceNameIndex =>
  new Map(some.map((name, at) => [name, at]))
const names = fc.uniqueArray(fc.constantFrom(...someNames, ...apart)).map(inOrder)
const item = fc.record<EvidenceItem>(
  {
    value: fc.oneof(fc.string({ minLength: 1 }), fc.boolean()),
    source: fc.constantFrom(...evidenceSources),
    revision: fc.nat(),
  },
  { requiredKeys: ['value', 'source'] },
)
const evidence = fc
  .dictionary(fc.constantFrom(...someNames, ...apart), item)
  .map((items) => new Map(Object.entries(items)))

const lists = new Map([['vips', 'text' as const]])

const namesOf = (...rules: readonly string[]): EvidenceNameIndex => {
  const read = new Map<string, number>()
  for (const rule of rules) indexEvidenceNames(read, expressionOf(rule, { lists }))
  return read
}

test('evidence comes back from its record whole, whatever the plan reads of it', () => {
  fc.assert(
    fc.property(names, evidence, (read, arrived) => {
      const recorded = { ...encodeEvidence(arrived, read), not_counted: [] }

      const back = decodeEvidence(JSON.parse(JSON.stringify(recorded)), read)

      const expected = [...arrived].filter(([name]) => !apart.includes(name))
      expect(back).toEqual(new Map(expected))
    }),
  )
})

test('a record is not read by the names of a plan that reads more or less', () => {
  fc.assert(
    fc.property(names, evidence, fc.integer({ min: -1, max: 1 }), (read, arrived, change) => {
      fc.pre(change !== 0 && (change > 0 || read.size > 0))
      const recorded = { ...encodeEvidence(arrived, read), not_counted: [] }
      const others = [...read.keys(), 'signal.ext.other'].slice(0, read.size + change)

      expect(() => decodeEvidence(recorded, inOrder(others))).toThrow('not of this plan')
    }),
  )
})

test('names that are absent take no room, however many the plan reads', () => {
  const many = inOrder(Array.from({ length: 500_000 }, (_, number) => `signal.ext.n${number}`))
  const arrived = new Map<string, EvidenceItem>([
    ['signal.ext.n499998', { value: 'late', source: 'request' }],
    ['signal.ext.n1', { value: 'early', source: 'dispatch' }],
    ['signal.ext.n2', { value: true, source: 'request' }],
  ])

  const recorded = encodeEvidence(arrived, many)

  expect(recorded).toEqual({
    sources: '-DR-499995R-',
    values: ['early', true, 'late'],
    items: [],
  })
  expect(decodeEvidence({ ...recorded, not_counted: [] }, many)).toEqual(arrived)
})

test.each([
  ['a source that nobody knows', { sources: 'Z' }],
  ['a value too few', { values: [] }],
  ['a value too many', { values: ['a', 'b'] }],
])('a record with %s is not of its plan', (_, change) => {
  const recorded = { sources: 'R', values: ['a'], items: [], not_counted: [], ...change }

  expect(() => decodeEvidence(recorded, inOrder(['signal.ip']))).toThrow('not of this plan')
})

// records are read by this order: what it is for a rule may never change
test('names stand in the order of the rules and of their texts, each once', () => {
  const read = namesOf(
    'signal.ext.b == "1" && int(signal.ext.a) > 2 || signal.ext.b == "3"',
    'has(signal.ip) ? signal.ip.startsWith("203.") : signal.ext.a == "x"',
    '[signal.ext.c, signal.ext.d].exists(x, x == signal.ext.e) && !list.block',
    'request.time > timestamp("2026-01-01T00:00:00Z") && target.phone_number != ""',
    'inList("vips", signal.device_id)',
  )

  expect([...read.keys()]).toEqual([
    'signal.ext.b',
    'signal.ext.a',
    'signal.ip',
    'signal.ext.c',
    'signal.ext.d',
    'signal.ext.e',
    'list.block',
    'request.time',
    'target.phone_number',
    'inList("vips", signal.device_id)',
    'signal.device_id',
  ])
})
