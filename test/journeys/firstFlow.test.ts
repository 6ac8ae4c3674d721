import { beforeAll, expect, test } from 'vitest'
import { patternOf, type RanBlock, runGuide, shownBy } from '../docs/support/runGuide.ts'

type Body = Record<string, unknown>

let blocks: readonly RanBlock[]
let consoles: readonly RanBlock[]

beforeAll(async () => {
  const ran = await runGuide('docs/guide/first-flow.md')
  blocks = ran.filter(({ kind }) => kind === 'sh')
  consoles = ran.filter(({ kind }) => kind === 'console')
}, 300_000)

/** The answers of the block that holds the text. */
function answersTo(text: string): readonly Body[] {
  const block = blocks.find((one) => one.text.includes(text))
  return (block?.printed ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Body)
}

function entriesOf(answer: Body | undefined, field: string): readonly Body[] {
  return (answer?.[field] ?? []) as readonly Body[]
}

test('every block ran and answered', () => {
  expect(blocks.length).toBeGreaterThan(10)
  const silent = blocks.filter(({ printed }) => printed === '')
  expect(silent.map(({ text }) => text)).toEqual([expect.stringContaining('api() {')])
})

test('the command line prints what the guide shows, ids and times apart', () => {
  expect(consoles.length).toBeGreaterThan(0)
  for (const { text, printed } of consoles) {
    expect(printed).toMatch(patternOf(shownBy(text).prints))
  }
})

test('the names are listed and the tried rule triggers', () => {
  const [listed] = answersTo('/management/signals')
  const [tried] = answersTo('/rules/test')

  expect(entriesOf(listed, 'signals').length).toBeGreaterThan(10)
  expect(tried).toMatchObject({ outcome: 'TRIGGERED', parts: { value: true } })
})

test('the first purchase is flagged, the draft flags what the live recipe passes', () => {
  const [first] = answersTo('evaluate() {')
  const [draft] = answersTo('"draft"')

  expect(first).toMatchObject({ verdict: 'FLAG', recipes: [{ score: 60 }] })
  expect(draft).toMatchObject({
    recipes: [{ verdict: 'PASS' }, { recipe_id: 'draft.recipes.1', verdict: 'FLAG', score: 50 }],
  })
})

test('the trial is not seen by callers and is compared as the guide says', () => {
  const purchases = answersTo('"minutes_since_signup": "90000"')
  const [comparison] = answersTo('/comparison?')

  expect(purchases.map(({ verdict }) => verdict)).toEqual(['PASS', 'FLAG', 'PASS', 'PASS'])
  expect(purchases.map(({ recipes }) => (recipes as Body[]).length)).toEqual([1, 1, 1, 1])
  expect(comparison).toMatchObject({
    scanned: 5,
    agreements: 3,
    differences: 1,
  })
  const outcomes = entriesOf(comparison, 'outcomes')
  expect(outcomes.map(({ evaluations }) => evaluations)).toEqual([1, 1, 1, 0, 0, 0, 1, 0])
})

test('the usage of the rule names both recipes', () => {
  const [usage] = answersTo('/usage')

  expect(usage).toMatchObject({ recipe_count: 2, flow_count: 1 })
})

test('published it flags, restored it passes', () => {
  const published = answersTo(
    '"status": "LIVE", "threshold": 50,\n  "rules": [{"rule_id": "\'$large\'", "weight": 60}, {',
  )
  const [versions, restored, passed] = answersTo('/restore')

  expect(published.at(-1)).toMatchObject({ verdict: 'FLAG' })
  expect(entriesOf(versions, 'versions').map(({ current }) => current)).toEqual([
    true,
    false,
    false,
  ])
  expect(restored?.['recipes']).toHaveLength(1)
  expect(passed).toMatchObject({ verdict: 'PASS' })
})
