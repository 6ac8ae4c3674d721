import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type EvidenceItem, evidenceSources } from '../../src/engine/run/evidence.ts'
import {
  decodeEvidence,
  encodeEvidence,
  listArrivedNames,
} from '../../src/events/evaluation/evidenceRecord.ts'

const apart = ['target.phone_number', 'target.email_address', 'request.time']
const keys = ['total', 'signal.ip', 'é', 'ann@example.com', '33612345678', 'x'.repeat(65)]
const none = new Set<string>()

const named = (names: readonly string[], sources: readonly EvidenceItem['source'][]) =>
  fc.tuple(
    fc.constantFrom(...names),
    fc.record<EvidenceItem>(
      {
        value: fc.oneof(fc.string({ minLength: 1 }), fc.boolean()),
        source: fc.constantFrom(...sources),
        revision: fc.nat(),
      },
      { requiredKeys: ['value', 'source'] },
    ),
  )
const items = fc.oneof(
  named(['signal.ip', 'signal.os_version'], ['dispatch', 'request', 'user_agent']),
  named(
    keys.map((key) => `signal.ext.${key}`),
    ['request'],
  ).map(([name, { revision: _, ...item }]) => [name, item] as const),
  named(['list.allow', 'inList("vips", signal.device_id)'], ['list']),
  named(['phoneCountry(target.phone_number)', 'phoneCountry(signal.ext.a)'], ['call']),
  named(apart, evidenceSources),
)
const evidence = fc.array(items).map((all) => new Map<string, EvidenceItem>(all))

test('evidence comes back from its record whole, without the plan', () => {
  fc.assert(
    fc.property(evidence, fc.boolean(), (gathered, isRead) => {
      const { arrived, ...recorded } = encodeEvidence(
        gathered,
        new Set(isRead ? ['signal.ip'] : []),
      )

      const back = decodeEvidence(arrived, JSON.parse(JSON.stringify(recorded)))

      const expected = [...gathered].filter(([name]) => !apart.includes(name))
      expect(back).toEqual(new Map(expected))
    }),
  )
})

test('names stand in clear by source, those of signals short', () => {
  const gathered = new Map<string, EvidenceItem>([
    ['signal.ext.total', { value: '12', source: 'request' }],
    ['signal.ip', { value: '203.0.113.9', source: 'dispatch' }],
    ['list.block', { value: false, source: 'list', revision: 7 }],
    ['signal.device_id', { value: 'a device', source: 'dispatch' }],
  ])

  expect(encodeEvidence(gathered, none)).toEqual({
    arrived: { dispatch: ['ip', 'device_id'], ext: ['total'], list: ['list.block'] },
    values: ['203.0.113.9', 'a device', '12', false],
    lists: [['list.block', 7]],
  })
})

test('of keys of ext 64 names of 64 characters stand in clear, none that may name a person; the rest is counted', () => {
  const many = Array.from({ length: 70 }, (_, number) => `key ${number}`)
  const sealed = ['ann@example.com', 'of 336 12-34', 'x'.repeat(65)]
  const sent = [...sealed, 'x'.repeat(64), ...many]
  const gathered = new Map<string, EvidenceItem>(
    sent.map((key) => [`signal.ext.${key}`, { value: 'v', source: 'request' }]),
  )

  const { arrived, unnamed_ext } = encodeEvidence(gathered, none)

  expect(arrived).toEqual({ ext: ['x'.repeat(64), ...many.slice(0, 63)], ext_unnamed: 10 })
  expect(unnamed_ext?.map(([key]) => key)).toEqual([...sealed, ...many.slice(63)])
})

test('what the user agent said that no own rule reads is not shown', () => {
  const gathered = new Map<string, EvidenceItem>([
    ['signal.os_version', { value: '17', source: 'user_agent' }],
    ['signal.device_model', { value: 'iPhone', source: 'user_agent' }],
  ])

  const { arrived } = encodeEvidence(gathered, new Set(['signal.device_model']))

  expect(listArrivedNames(arrived)).toEqual([
    { name: 'signal.device_model', source: 'user_agent', isShown: true },
    { name: 'signal.os_version', source: 'user_agent', isShown: false },
  ])
})

test('answers of calls stand by the text of the call, those for managed rules alone are not shown', () => {
  const gathered = new Map<string, EvidenceItem>([
    ['phoneCountry(target.phone_number)', { value: 'FR', source: 'call' }],
    ['phoneCountry(signal.ext.own)', { value: 'GB', source: 'call' }],
  ])

  const { arrived, values } = encodeEvidence(
    gathered,
    new Set(['phoneCountry(signal.ext.own)']),
    new Map([['phoneCountry(signal.ext.other)', 'not_known']]),
  )

  expect(values).toEqual(['GB', 'FR'])
  expect(arrived.unanswered).toEqual([['phoneCountry(signal.ext.other)', 'not_known']])
  expect(listArrivedNames(arrived)).toEqual([
    { name: 'phoneCountry(signal.ext.own)', source: 'call', isShown: true },
    { name: 'phoneCountry(target.phone_number)', source: 'call', isShown: false },
  ])
})

test.each([
  ['too few', []],
  ['too many', ['a', 'b']],
])('a record with values %s is not read', (_, values) => {
  expect(() => decodeEvidence({ request: ['existing_user'] }, { values })).toThrow('its names')
})
