/** What missing evidence leaves open of a verdict, in every view of a record, over HTTP and the command line. */

import { beforeAll, describe, expect, test } from 'vitest'
import { decode } from '../../src/events/catalogue.ts'
import type { FlowEvaluated } from '../../src/events/evaluation/evaluationEvents.ts'
import { openShopOfFile } from '../cli/support/openShop.ts'
import { projectedHead } from '../support/projectedHead.ts'

type Body = Record<string, unknown>

const shop = await openShopOfFile()
const { customer, vigil } = shop
const start = Date.UTC(2026, 10, 21, 9)
const total = await customer.rule('double(signal.ext.total) > 500.0', 'total')
const country = await customer.rule('signal.ext.country != "FR"', 'country')
const known = await customer.rule('signal.existing_user', 'known')
const stop = await customer.rule('signal.ext.stop == "now"', 'stop')
const recipe = await customer.recipe([
  { rule_id: total, weight: 40 },
  { rule_id: country, weight: 30 },
  { rule_id: known, weight: -20 },
])
const overridden = await customer.recipe([
  { rule_id: stop, weight: 0, preempts: 'PASS' },
  { rule_id: total, weight: 100 },
])
const flow = await customer.flow([recipe, overridden])

/** What is sent, and what the first recipe leaves open: certain, open yet not fragile, fragile, decided by a rule. */
const sent = [
  { ext: { total: '20', country: 'FR', stop: 'no' }, existing_user: false },
  { ext: { total: '900', country: 'NG', stop: 'no' }, existing_user: false },
  { ext: { total: '900', stop: 'now' }, existing_user: false },
  { ext: { country: 'NG', stop: 'now' } },
  { ext: { country: 'FR', total: '20' }, existing_user: true },
]
const ids: string[] = []
const answers: string[] = []

beforeAll(async () => {
  for (const [index, signals] of sent.entries()) {
    vigil.setTime(start + index * 60_000)
    const answer = await customer.evaluate(flow, { signals })
    ids.push(String(answer.body['id']))
    answers.push(answer.text)
  }
  vigil.setTime(start + 60 * 60_000)
  await projectedHead(vigil)
})

const get = async (path: string) => {
  const { status, body, text } = await customer.send('GET', path)
  if (status !== 200) throw new Error(text)
  return body
}

/** The evaluations as the log has them, in its order. */
async function readLog(): Promise<readonly FlowEvaluated[]> {
  const log = await vigil.service.context.events.readAll({ after: 0, limit: 10_000 })
  return log
    .filter(({ type }) => type === 'FlowEvaluated')
    .map((recorded) => decode(recorded).event.data as FlowEvaluated)
}

/** What of the record a view is to say, by the plainest reading. */
const expected = (data: FlowEvaluated) => ({
  fragile: data.fragile,
  recipes: data.recipes.map(({ recipe_id, bounds, fragile }) => ({
    recipe_id,
    score_bounds: bounds && { min: bounds[0], max: bounds[1] },
    fragile,
  })),
})

const shown = (view: Body) => ({
  fragile: view['fragile'],
  recipes: (view['recipes'] as Body[]).map(({ recipe_id, score_bounds, fragile }) => ({
    recipe_id,
    score_bounds,
    fragile,
  })),
})

test('the record, its explanation, lists and searches say what the log has', async () => {
  const log = await readLog()
  expect(log.map(({ fragile }) => fragile)).toContain(true)

  const found = (await get('/v2/watch/evaluations?limit=10'))['evaluations'] as Body[]
  const searched = (await get('/v2/watch/evaluations?order=oldest&limit=10'))[
    'evaluations'
  ] as Body[]

  expect(found.map(shown)).toEqual(log.map(expected))
  expect(searched.map(shown)).toEqual(log.map(expected))
  for (const [index, id] of ids.entries()) {
    const view = await get(`/v2/watch/evaluations/${id}`)
    const one = expected(log[index] as FlowEvaluated)
    expect(shown(view)).toEqual(one)
    expect(shown({ ...view, recipes: view['explanation'] })).toEqual(one)
  }
})

test('the bounds are those of all that the rules not evaluated could add', async () => {
  const { recipes } = await get(`/v2/watch/evaluations/${ids[3]}`)

  // country has triggered; total could add 40, known take away 20
  expect(recipes).toMatchObject([
    { score: 30, score_bounds: { min: 10, max: 70 }, fragile: true },
    { determined_by: stop },
  ])
  expect((recipes as Body[])[1]).not.toHaveProperty('score_bounds')
})

test('the answer of an evaluation says nothing of it', () => {
  expect(answers.join()).not.toMatch(/bounds|fragile/)
})

describe('exports', () => {
  const exported = async (query: Record<string, string>) => {
    const path = `/v2/watch/evaluations/export?${new URLSearchParams(query)}`
    const { text } = await customer.send('GET', path)
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Body)
  }

  test('have it in columns', async () => {
    const rows = await exported({ columns: 'fragile,recipe_fragile,score_min,score_max' })

    expect(rows[3]).toMatchObject({
      fragile: true,
      recipe_fragile: [true, false],
      score_min: [10, 0],
      score_max: [70, 0],
    })
    expect(rows[0]).toMatchObject({ score_min: [0, 0], score_max: [0, 0] })
  })

  test('find it by conditions', async () => {
    const of = async (where: string) => (await exported({ where })).map(({ id }) => id)

    expect(await of('score_min < 30 and score_max > 60')).toEqual([ids[3]])
    expect(await of('fragile = true')).toEqual(
      (await readLog()).flatMap((one) => (one.fragile ? [one.evaluation_id] : [])),
    )
  })
})

test('show says how far the score could go', async () => {
  const { out } = await shop.run(['show', ids[3] ?? ''])

  expect(out).toContain('the score could be 10 to 70, fragile: that could turn the verdict')
})

test('lists of the command line mark what is fragile', async () => {
  const fragile = (await readLog()).filter((one) => one.fragile).length
  const { out } = await shop.run(['evaluations', 'list'])
  const csv = await shop.run(['evaluations', 'list', '--format', 'csv'])
  const lines = await shop.run(['tail', '--count', '5'])

  expect(out.match(/partial, fragile/g)).toHaveLength(fragile)
  expect(csv.out.match(/,true,true,/g)).toHaveLength(fragile)
  expect(lines.out.match(/fragile/g)).toHaveLength(fragile)
})
