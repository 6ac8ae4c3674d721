import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { frozenEvaluations } from '../../bench/frozenEvaluations.ts'

test('the reference of replay is what it was when it was frozen', () => {
  const file = readFileSync(new URL('../../bench/frozenEvaluations.jsonl', import.meta.url))

  expect(createHash('sha256').update(file).digest('hex')).toBe(
    '93c221432e6914d3b4ce0537db95a2d8c59bee15a0df7d16cfd3f5913c54f523',
  )
})

test('it is evaluations of sixty rules, no two alike', () => {
  const told = frozenEvaluations().map(({ data }) => JSON.parse(data))

  expect(new Set(told.map(({ evaluation_id }) => evaluation_id)).size).toBe(256)
  expect(new Set(told.map(({ verdict }) => verdict))).toEqual(new Set(['PASS', 'FLAG']))
})
