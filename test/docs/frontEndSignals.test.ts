import { beforeAll, expect, test } from 'vitest'
import { type RanBlock, runGuide } from './support/runGuide.ts'

let blocks: readonly RanBlock[]

beforeAll(async () => {
  blocks = await runGuide('docs/guide/front-end-signals.md')
}, 300_000)

test('its key is issued, its dispatch is on record, and its evaluation reads it', () => {
  const [key, dispatch, evaluated] = blocks.map(({ printed }) => printed.trim().split('\n'))

  expect(key?.at(-1)).toMatch(/^vgp_/)
  expect(dispatch?.at(-1)).toMatch(/^\{"dispatch_id":"[0-9a-f-]{36}"\}$/)
  expect(JSON.parse(evaluated?.at(-1) ?? '{}')).toMatchObject({
    verdict: 'FLAG',
    recipes: [{ score: 60, partial_evidence: false, rules: [{ outcome: 'TRIGGERED' }] }],
  })
})
