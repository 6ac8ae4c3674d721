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
