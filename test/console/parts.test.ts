/** What the console computes itself: bounds of a score, cells of a file, the state of a list, a sample. */

import { expect, test } from 'vitest'
import { formatCsv } from '../../console/parts/csv.ts'
import { boundsOf, decisiveNames } from '../../console/parts/scoreBounds.ts'
import {
  blankState,
  readSearch,
  readState,
  spanOf,
  whereOf,
  writeState,
} from '../../console/screens/evaluations/listState.ts'
import { toEvidence, toSample } from '../../console/screens/rule/ruleDraft.ts'

const rule = (weight: number, outcome: string, blocked_by?: string) => ({
  weight,
  outcome,
  ...(blocked_by !== undefined && { blocked_by }),
})

test('the bounds of a score are those of the rules that were not evaluated', () => {
  expect(boundsOf([rule(40, 'TRIGGERED'), rule(30, 'NOT_TRIGGERED')])).toEqual({
    low: 40,
    high: 40,
  })
  expect(
    boundsOf([rule(40, 'TRIGGERED'), rule(80, 'NOT_EVALUATED'), rule(-50, 'NOT_EVALUATED')]),
  ).toEqual({
    low: 0,
    high: 100,
  })
})

test('a missing name is decisive where its rules alone could turn the verdict', () => {
  const rules = [
    rule(30, 'TRIGGERED'),
    rule(30, 'NOT_EVALUATED', 'signal.ip'),
    rule(10, 'NOT_EVALUATED', 'signal.user_agent'),
  ]
  expect(decisiveNames(rules, { score: 30, threshold: 50 })).toEqual(['signal.ip'])
  expect(decisiveNames(rules, { score: 30, threshold: 90 })).toEqual([])
  const flagged = [rule(60, 'TRIGGERED'), rule(-20, 'NOT_EVALUATED', 'signal.existing_user')]
  expect(decisiveNames(flagged, { score: 60, threshold: 50 })).toEqual(['signal.existing_user'])
})

test('no cell of a file runs as a formula, and numbers stay numbers', () => {
  expect(formatCsv([['=1+1', '+33612345678', -5, 'a "b", c', undefined, false, 0]])).toBe(
    `'=1+1,'+33612345678,-5,"a ""b"", c",,false,0\r\n`,
  )
})

test('the state of a list is read back from its address, and what means nothing is told', () => {
  const state = {
    ...blankState,
    where: 'score >= 60',
    verdict: 'FLAG' as const,
    range: '24h' as const,
  }
  expect(readState(new URLSearchParams(writeState(state)))).toEqual({ state, ignored: [] })
  const broken = new URLSearchParams('verdict=MAYBE&flow=x&range=fixed&other=1&where=a')
  expect(readState(broken)).toEqual({
    state: { ...blankState, where: 'a' },
    ignored: ['verdict', 'flow', 'other'],
  })
})

test('a fixed span stays, and another ends at the clock of the service', () => {
  const now = Date.UTC(2026, 10, 21, 12)
  expect(spanOf({ ...blankState, range: '24h' }, now)).toEqual({
    from: '2026-11-20T12:00:00.000Z',
    to: '2026-11-21T12:00:00.000Z',
  })
  const fixed = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
  expect(spanOf({ ...blankState, range: 'fixed', ...fixed }, now)).toEqual(fixed)
})

test('all filters are one condition', () => {
  expect(whereOf(blankState)).toBe('')
  expect(whereOf({ where: 'score >= 60', flow: 'flo_1', verdict: 'FLAG' })).toBe(
    'score >= 60 and flow = flo_1 and verdict = FLAG',
  )
})

test.each([
  ['evl_01m7ynbn2rfer9ny34532tag6n', { open: 'evl_01m7ynbn2rfer9ny34532tag6n' }],
  ['+33 6 12 34 56 78', { where: 'phone = "+33612345678"' }],
  ['ada@example.com', { where: 'email = "ada@example.com"' }],
  ['203.0.113.7', { where: 'ip = 203.0.113.7' }],
  ['2001:db8::1', { where: 'ip = 2001:db8::1' }],
  ['order-4711', { where: 'correlation_id = "order-4711"' }],
  ['score >= 60', { where: 'score >= 60' }],
  ['  ', { where: '' }],
])('%s is looked for as what it is', (typed, found) => expect(readSearch(typed)).toEqual(found))

test('a sample is the request that brings its values, and an empty value is missing', () => {
  const sample = {
    'target.phone_number': '+33612345678',
    'signal.ip': '203.0.113.7',
    'signal.existing_user': 'false',
    'signal.ext.cart_total': '900',
    'signal.ext["utm source"]': 'x',
    'list.block': 'true',
    'signal.user_agent': '',
  }
  expect(toEvidence(sample)).toEqual({
    target: { phone_number: '+33612345678' },
    dispatch_signals: { ip: '203.0.113.7' },
    signals: { existing_user: false, ext: { cart_total: '900', 'utm source': 'x' } },
    lists: { block: true },
  })
})

test('of an evaluation a sample takes what a request can bring', () => {
  const evidence = [
    { name: 'signal.existing_user', value: false },
    { name: 'phoneCountry(target.phone_number)', value: 'FR' },
    { name: 'target.phone_number', value: { sealed: true } },
  ]
  expect(toSample(evidence)).toEqual({ 'signal.existing_user': 'false' })
})
