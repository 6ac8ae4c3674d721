import { expect, test } from 'vitest'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import type { Collection } from '../../src/stores/readStore.ts'
import { documentsIn } from './foldOfLog.ts'
import { brokenLog, brokenPromises, brokenReadModels, brokenRecord } from './invariants.ts'
import type { Acknowledged } from './load.ts'
import { proxiedUrl } from './proxiedUrl.ts'

function event(position: number, change: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    ...{ id: `event-${position}`, type: 'FlowEvaluated', data: '{}', metadata: '{}' },
    ...{ stream: `evaluation-evl_${position}`, revision: 0, position },
    ...change,
  }
}

function written(position: number, change: Partial<Acknowledged> = {}): Acknowledged {
  const id = `evl_${position}`
  return { kind: 'evaluation', id, key: `key-${position}`, client: 0, body: {}, ...change }
}

const log = [event(1), event(5), event(9)]

test('given a log and what was acknowledged of it, then everything holds', () => {
  expect(brokenLog(log)).toEqual([])
  expect(brokenPromises(log, [written(1), written(9)])).toEqual([])
})

test.each<[string, readonly RecordedEvent[], string]>([
  ['an event twice', [...log, event(12, { id: 'event-1' })], 'is in the log twice'],
  ['a position that goes back', [event(5), event(1)], 'stands behind position 5'],
  [
    'a revision twice',
    [...log, event(12, { stream: 'evaluation-evl_1' })],
    'is revision 0 of evaluation-evl_1, not 1',
  ],
  ['a revision left out', [event(1, { revision: 1 })], 'is revision 1 of evaluation-evl_1, not 0'],
])('given %s, then it is said', (_, events, words) => {
  expect(brokenLog(events)).toEqual([expect.stringContaining(words)])
})

test.each<[string, readonly RecordedEvent[], readonly Acknowledged[], string]>([
  ['a verdict that is not recorded', log, [written(1), written(2)], 'is there 0 times'],
  [
    'a verdict recorded twice',
    [...log, event(12, { stream: 'evaluation-evl_9', revision: 1 })],
    [written(9)],
    'is there 2 times',
  ],
  [
    'two answers to one key',
    log,
    [written(1), written(5, { key: 'key-1' })],
    'has the key of evl_1',
  ],
  ['writes of a client in another order', log, [written(5), written(1)], 'stands before'],
  [
    'a rule that is not there',
    [event(1, { type: 'RulePublished', data: '{"rule_id":"rul_1"}' })],
    [written(2, { kind: 'rule', id: 'rul_2' })],
    'rule rul_2',
  ],
])('given %s, then it is said', (...[, events, acknowledged, words]) => {
  expect(brokenPromises(events, acknowledged).join('\n')).toContain(words)
})

test('given read models that differ from the fold, then each document is named', () => {
  const expected = new Map([
    ['flows a', '1'],
    ['flows b', '2'],
  ])
  const found = new Map([
    ['flows b', '3'],
    ['flows c', '4'],
  ])

  expect(brokenReadModels(expected, expected)).toEqual([])
  expect(brokenReadModels(found, expected)).toEqual([
    'flows a is missing from the read models',
    'flows b is 3, a fold makes it 2',
    'flows c is in the read models, and a fold does not make it',
  ])
})

test('given a record that is not what was answered, then the field is named', () => {
  const answered = { verdict: 'FLAG', recipes: [{ score: 60 }] }

  expect(brokenRecord(answered, { ...answered, more: 1 })).toEqual([])
  expect(brokenRecord(answered, { verdict: 'FLAG', recipes: [{ score: 50 }] })).toEqual([
    '.recipes.0.score was answered 60, the record has 50',
  ])
  expect(brokenRecord(answered, { verdict: 'FLAG' })).toEqual(['.recipes is not on record'])
})

test.each([
  ['esdb://127.0.0.1:2113?tls=false', /^esdb:\/\/127\.0\.0\.1:\d+\?tls=false$/],
  ['esdb://user:pass@db?tls=false', /^esdb:\/\/user:pass@127\.0\.0\.1:\d+\?tls=false$/],
  ['mongodb://127.0.0.1:27017/vigil', /^mongodb:\/\/127\.0\.0\.1:\d+\/vigil$/],
  ['esdb://db:2113', /^esdb:\/\/db:2113$/],
  ['esdb+discover://a,b?tls=false', /^esdb\+discover:\/\/a,b\?tls=false$/],
  ['mongodb://a,b/vigil?replicaSet=rs', /^mongodb:\/\/a,b\/vigil\?replicaSet=rs$/],
])('given %s, then it leads through a proxy where one can stand', async (url, pattern) => {
  const proxied = await proxiedUrl(url)

  expect(proxied.url).toMatch(pattern)
  expect(proxied.proxy === undefined).toBe(proxied.url === url)
  await proxied.proxy?.close()
})

test('documents are compared by what they say, wherever in the log they came from', async () => {
  const at = (position: number) => ({
    find: async (collection: Collection) =>
      collection.name === 'rules' ? [{ id: 'rul_1', position, body: { name: 'One' } }] : [],
  })

  const [early, late] = [await documentsIn(at(5)), await documentsIn(at(9))]

  expect(early.size).toBe(1)
  expect(brokenReadModels(late, early)).toEqual([])
})
