/** Drafts that editors try over the last evaluations, over HTTP and the command line. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { previewBacktest } from '../../src/queries/analysis/backtest/previewBacktest.ts'
import { openShopOfFile } from '../cli/support/openShop.ts'
import { openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { readBacktest } from './support/readBacktest.ts'

type Body = Record<string, unknown>

const shop = await openShopOfFile()
const { customer, vigil } = shop
const { context } = vigil.service
// the first evaluations are months old
const start = Date.UTC(2026, 5, 1)
const dayMs = 24 * 60 * 60_000
const count = 60
const rule = await customer.rule('double(signal.ext.total) > 500.0', 'total')
const recipe = await customer.recipe([{ rule_id: rule, weight: 60 }])
const flow = await customer.flow([recipe])
const path = '/v2/watch/management/backtests/preview'
const at = (index: number) => new Date(start + index * dayMs).toISOString()

beforeAll(async () => {
  for (let index = 0; index < count; index += 1) {
    vigil.setTime(start + index * dayMs)
    // every third is dear, every fourth says nothing
    const ext = index % 4 === 0 ? {} : { total: index % 3 === 0 ? '900' : '400' }
    await customer.evaluate(flow, { signals: { ext } })
  }
  await projectedHead(vigil)
})

const preview = (body: unknown, query = '') => customer.send('POST', `${path}${query}`, body)
const numbers = Array.from({ length: count }, (_, index) => index)

test('a rule is tried over all evaluations, however old, with a few of those that it turns', async () => {
  const { status, body } = await preview({ expression: 'double(signal.ext.total) > 300.0' })

  const silent = numbers.filter((index) => index % 4 === 0).length
  const dear = numbers.filter((index) => index % 4 !== 0 && index % 3 === 0).length
  expect(status).toBe(200)
  expect(body).toMatchObject({ lists: 'then', from: at(0), evaluations: count, forgotten: 0 })
  expect(body['table']).toMatchObject([
    { answered: 'FLAG', draft: 'FLAG', evaluations: dear },
    { answered: 'PASS', draft: 'FLAG', evaluations: count - silent - dear },
    { answered: 'PASS', draft: 'NOT_EVALUATED', evaluations: silent },
  ])
  expect(body['changed']).toHaveLength(20)
  expect(body['changed_more']).toBe(count - silent - dear - 20)
})

test('a draft of the flow is tried as a backtest tries it', async () => {
  const rules = [{ expression: 'signal.ext.total == "400"', weight: 50 }]
  const draft = { flow_id: flow, draft: { recipes: [recipe, { threshold: 50, rules }] } }
  const query = `?from=${at(50)}`

  const { body } = await preview(draft, query)
  const whole = await readBacktest(vigil, customer, { body: draft, query })

  expect(body['evaluations']).toBe(10)
  for (const name of ['table', 'by_draft', 'anyway', 'changed', 'to']) {
    expect(body[name]).toEqual(whole[name])
  }
})

test('counters of a draft are counted anew, also of what was before the newest evaluations', async () => {
  const { body } = await preview({ expression: 'count(evaluations, by(flow.id), "30d") >= 30' })

  // one a day: from the thirty-first on thirty are in the window
  expect(body['table']).toMatchObject([
    { answered: 'FLAG', draft: 'FLAG' },
    { answered: 'FLAG', draft: 'PASS' },
    { answered: 'PASS', draft: 'FLAG' },
    { answered: 'PASS', draft: 'PASS' },
  ])
  const table = body['table'] as readonly { draft: string; evaluations: number }[]
  const flagged = table.filter(({ draft }) => draft === 'FLAG')
  expect(flagged.reduce((sum, { evaluations }) => sum + evaluations, 0)).toBe(count - 30)
})

test('the newest evaluations are found first, where counters are counted in the order of time', async () => {
  const principal = { kind: 'account', accountId: customer.accountId } as never
  const asked: [order: string, fromMs: number][] = []
  const watched: typeof context = {
    ...context,
    scanSlice: async (slice, signal) => {
      asked.push([`${slice.order} ${slice.fold.kind}`, slice.fromMs])
      if (slice.fold.kind !== 'found') return context.scanSlice(slice, signal)
      const found = await context.scanSlice({ ...slice, matchedMax: 10 }, signal)
      // as if these were 2,000
      return { ...found, matched: 2_000 }
    },
  }
  const { signal } = new AbortController()
  const input = { expression: 'count(evaluations, by(flow.id), "30d") >= 30' }

  const { steps, add, result } = await previewBacktest(
    watched,
    { principal, requestId: 'r' },
    { input, lists: 'then', signal },
  )
  for await (const { folded } of steps) add(folded)

  expect(asked[0]).toEqual(['newest found', 0])
  expect(asked.at(-1)?.[0]).toBe('oldest backtest')
  expect(asked.at(-1)?.[1]).toBe(start + (count - 10) * dayMs)
  expect(result()).toMatchObject({ from: at(count - 10), evaluations: 10 })
})

test.each([
  ['with the newest 2,000', { sliceMs: 0, limits: [2_000, 1_000], endedMs: 2_000 }],
  ['after five seconds', { sliceMs: 6_000, limits: [2_000], endedMs: 3_000 }],
])('it ends %s, and says how far back it went', async (_, { sliceMs, limits, endedMs }) => {
  const principal = { kind: 'account', accountId: customer.accountId } as never
  const asked: number[] = []
  const reachedMs = [3_000, 2_000, 1_000]
  let nowMs = start
  // slices of a thousand, of which there would be more
  const endless: typeof context = {
    ...context,
    clock: { nowMs: () => nowMs },
    scanSlice: async ({ matchedMax = 0 }) => {
      asked.push(matchedMax)
      nowMs += sliceMs
      const folded = { rows: [], changed: [], forgotten: 0, opened: [] }
      const after = { id: 'e', values: [1] }
      const slice = { folded, scanned: 1_000, matched: 1_000, end: 1, after }
      return { ...slice, reachedMs: reachedMs[asked.length - 1] ?? 0 }
    },
  }
  const { signal } = new AbortController()
  const input = { expression: '1 == 2' }

  const { steps, add, result } = await previewBacktest(
    endless,
    { principal, requestId: 'r' },
    { input, lists: 'then', signal },
  )
  for await (const { folded } of steps) add(folded)

  expect(asked).toEqual(limits)
  expect(result().from).toBe(new Date(endedMs).toISOString())
})

test('an account has one at a time, and others wait for none', async () => {
  const body = { expression: 'double(signal.ext.total) > 300.0' }
  const other = await openCustomer(vigil)

  const both = await Promise.all([preview(body), preview(body), other.send('POST', path, body)])

  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
  expect(both[2]?.body).toMatchObject({ evaluations: 0 })
  expect((await preview(body)).status).toBe(200)
})

test('a token needs both scopes, and a stranger sees nothing', async () => {
  const body = { flow_id: flow, draft: { recipes: [recipe] } }
  const stranger = await openCustomer(vigil)

  const ofStranger = await stranger.send('POST', path, body)
  const refused = await Promise.all(
    (['author', 'analyse', 'audit'] as const).map(async (scope) => {
      const token = await customer.tokenWith([scope])
      return (await vigil.door.request('POST', path, { token, body })).status
    }),
  )

  expect(ofStranger.status).toBe(404)
  expect(refused).toEqual([403, 403, 403])
})

const write = (name: string, content: object): string => {
  const file = join(vigil.folder, name)
  writeFileSync(file, JSON.stringify(content))
  return file
}

test.each([
  ['an expression', () => ['double(signal.ext.total) > 300.0']],
  [
    'a rule',
    () => ['--file', write('rule.json', { expression: 'double(signal.ext.total) > 300.0' })],
  ],
  [
    'a recipe',
    () => {
      const rules = [{ expression: 'double(signal.ext.total) > 300.0', weight: 60 }]
      return ['--flow', flow, '--file', write('recipe.json', { id: recipe, threshold: 50, rules })]
    },
  ],
])('rules test --on-past tries %s', async (_, words: () => readonly string[]) => {
  const { out, err } = await shop.run(['rules', 'test', ...words(), '--on-past'])
  const found = (await shop.read(['rules', 'test', ...words(), '--on-past'])) as Body

  expect(err).toBe('')
  expect(out).toContain(`${at(0)} to `)
  expect(out).toContain(`${count} evaluations.`)
  expect(found['evaluations']).toBe(count)
})

test.each([
  [['1 == 2', '--flow', 'x'], '--flow needs --on-past'],
  [['1 == 2', '--on-past', '--phone', '+33612345678'], '--phone does not go with --on-past'],
  [['--on-past'], 'Give the rule as an argument'],
])('rules test %j is refused', async (words, said) => {
  const ended = await shop.cli.run(['rules', 'test', ...words])

  expect([ended.code, ended.err]).toEqual([2, expect.stringContaining(said)])
})
