import { expect, test } from 'vitest'
import { buildConditionBranches } from '../../src/cli/evaluation/explanationView.ts'

test('a read whose value the explanation leaves out is printed as one that arrived', () => {
  const read = { name: 'signal.ext.a', use: 'read', arrived: true } as const
  const reads = [{ ...read, value: 'x', source: 'request' } as const, read]

  const branches = buildConditionBranches({ reads }, (_, text) => text)

  expect(branches.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^signal\.ext\.a = "x" {2}from /),
    'signal.ext.a  arrived',
  ])
})

test('a counter is printed with its value and key, or with the reason why it has no value', () => {
  const counter = { name: 'sum(…, "1h")', window: '1h' } as const
  const key = [{ name: 'signal.device_id', value: 'd\u0007' }, { name: 'flow.id' }]
  const sealed = { sealed: true } as const
  const counters = [
    { ...counter, key, value: 3, left_out: 1 },
    { ...counter, key: [{ name: 'flow.id', value: sealed }], value: sealed },
    { ...counter, key: [{ name: 'flow.id', value: 'f' }], reason: 'warming' as const },
    { ...counter, key: [] },
    { ...counter, name: 'distinct(…, "1h")', key: [], value: 256 },
  ]

  const branches = buildConditionBranches({ counters }, (_, text) => text)

  expect(branches.map(({ text }) => text)).toEqual([
    'sum(…, "1h") = 3, 1 left out as no integers  of signal.device_id "d\\u0007", flow.id did not arrive',
    'sum(…, "1h") = {"sealed":true}  of flow.id {"sealed":true}',
    'sum(…, "1h")  no value yet: it is kept for less than its window  of flow.id "f"',
    'sum(…, "1h")  no value  of ',
    'distinct(…, "1h") = 256 or more  of ',
  ])
})
