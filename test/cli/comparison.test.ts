import { describe, expect, test, vi } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { openAnswers } from './support/openAnswers.ts'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
const { customer, vigil } = shop
const large = await customer.rule('double(signal.ext.total) > 500.0', 'Large cart')
const hurried = await customer.rule('int(signal.ext.minutes) < 10', 'Hurried')
const live = await customer.recipe([{ rule_id: large, weight: 60 }])
const candidate = await customer.recipe(
  [
    { rule_id: large, weight: 60 },
    { rule_id: hurried, weight: 50 },
  ],
  { status: 'SHADOW' },
)
const flow = await customer.flow([live, candidate])
for (const [index, ext] of [
  { total: '20', minutes: '90000' },
  { total: '900', minutes: '3' },
  { total: '40', minutes: '2' },
  { total: '40' },
].entries()) {
  vigil.setTime(Date.parse('2026-11-21T07:30:00Z') + index * 60_000)
  await customer.evaluate(flow, { signals: { ext } })
}
await projectedHead(vigil)

const compared = (...words: string[]) => shop.run(['recipes', 'compare', live, candidate, ...words])

test('each pair of verdicts has a line, and where they differ there are examples', async () => {
  const { out } = await compared()

  expect(withoutIds(out)).toMatchInlineSnapshot(`
    "recipe  rcp_00000000000000000000000001
    other   rcp_00000000000000000000000002
    from    2026-11-14T07:33:00.001Z
    to      2026-11-21T07:33:00.001Z

    Of 4 evaluations both ran in 4: the same verdict in 3, another in 1.

    RECIPE  OTHER  EVIDENCE  EVALUATIONS
    PASS    PASS   complete            1
    PASS    PASS   partial             1
    PASS    FLAG   complete            1
    FLAG    FLAG   complete            1

    Where they differ, the newest (vigil show says why):
    RECIPE  OTHER  EVALUATION
    PASS    FLAG   evl_00000000000000000000000003
    "
  `)
})

test('a difference ends with 4 only when asked to', async () => {
  const { code } = await compared()
  const words = ['recipes', 'compare', live, candidate, '--exit-code']

  const differing = await shop.cli.run(words)
  const agreeing = await shop.cli.run([...words, '--to', '2026-11-21T07:32:00Z'])

  expect([code, differing.code, agreeing.code]).toEqual([0, 4, 0])
})

describe('of more evaluations than one answer looks at', () => {
  const outcome = (recipe: string, other: string, examples: readonly string[]) => ({
    recipe,
    with: other,
    partial_evidence: false,
    evaluations: 10 * examples.length,
    examples,
  })
  const pages = [
    {
      scanned: 20_000,
      agreements: 10,
      differences: 30,
      outcomes: [
        outcome('PASS', 'PASS', ['evl_1']),
        outcome('PASS', 'FLAG', ['evl_2', 'evl_3', 'evl_4']),
      ],
    },
    {
      scanned: 20_000,
      agreements: 0,
      differences: 30,
      outcomes: [outcome('PASS', 'PASS', []), outcome('PASS', 'FLAG', ['evl_5', 'evl_6', 'evl_7'])],
    },
    {
      scanned: 5,
      agreements: 10,
      differences: 0,
      outcomes: [outcome('PASS', 'PASS', ['evl_8']), outcome('PASS', 'FLAG', [])],
    },
  ]
  const openPages = () =>
    openAnswers((_, number) => ({
      body: {
        recipe_id: live,
        with: candidate,
        from: '2026-11-14T00:00:00.000Z',
        to: '2026-11-21T00:00:00.000Z',
        ...pages[number - 1],
        truncated: number < pages.length,
        ...(number < pages.length && { next_cursor: `page-${number}` }),
      },
    }))

  test('the newest are looked at, and that there are older ones is said', async () => {
    const server = await openPages()

    const { out } = await compared('--server', server.url)

    expect(server.asked).toHaveLength(1)
    expect(out).toContain('Of 20,000 evaluations both ran in 40')
    expect(out).toMatch(/\nOlder evaluations were not searched; --all does\.\n$/)
  })

  test('--all asks on within the same time and adds up', async () => {
    const server = await openPages()

    const { json } = await compared('--server', server.url, '--all', '--json')

    const asked = server.asked.map(({ path }) => new URL(path, server.url).searchParams)
    expect(asked.map((query) => query.get('cursor'))).toEqual([null, 'page-1', 'page-2'])
    expect(asked.slice(1).map((query) => [query.get('from'), query.get('to')])).toEqual([
      ['2026-11-14T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
      ['2026-11-14T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ])
    expect(json()).toEqual({
      recipe_id: live,
      with: candidate,
      from: '2026-11-14T00:00:00.000Z',
      to: '2026-11-21T00:00:00.000Z',
      scanned: 40_005,
      agreements: 20,
      differences: 60,
      outcomes: [
        { ...outcome('PASS', 'PASS', ['evl_1', 'evl_8']) },
        {
          ...outcome('PASS', 'FLAG', []),
          evaluations: 60,
          examples: ['evl_2', 'evl_3', 'evl_4', 'evl_5', 'evl_6'],
        },
      ],
      truncated: false,
    })
  })

  test('progress is shown on a terminal and cleared, also by Ctrl-C', async () => {
    const interruption = new AbortController()
    const server = await openAnswers((_, number) => {
      if (number === 2) interruption.abort()
      return { body: { ...pages[0], from: 'a', to: 'b', recipe_id: live, next_cursor: 'more' } }
    })

    const { code, err } = await shop.cli.run(
      ['recipes', 'compare', live, candidate, '--all', '--server', server.url],
      { terminal: true, interrupted: interruption.signal },
    )

    expect(code).toBe(130)
    const cleared = '\r\u001b[K'
    expect(err.startsWith(`${cleared}comparing: 20,000 evaluations${cleared}`)).toBe(true)
    expect(err).toContain('Interrupted.')
  })

  test('no progress is shown on a dumb terminal, which would print the escape sequences', async () => {
    const server = await openAnswers((_, number) => ({ body: pages[number - 1] }))

    const { err } = await shop.run(
      ['recipes', 'compare', live, candidate, '--all', '--server', server.url],
      { terminal: true, variables: { TERM: 'dumb' } },
    )

    expect(err).toBe('')
  })
})

test.each([
  [['rcp_01jc0t6fwwfgfsq1md24mhyztj'], "missing required argument 'other'"],
  [['rcp_1', 'rul_1'], '"rul_1" is the id of a rule, not of a recipe (rcp_…).'],
  [['rcp_1', ''], 'Give the id of a recipe (rcp_…), or its name.'],
  [['rcp_1', 'rcp_1'], 'A recipe is compared with another one.'],
  [['rcp_1', 'rcp_2', '--from', 'someday'], 'Must be a time as one of'],
  [
    ['rcp_1', 'rcp_2', '--from', '2026-11-21T00:00:00Z', '--to', '2026-11-21T01:00:00+02:00'],
    '--from must be before --to.',
  ],
])('%j is refused with 2 before anything is asked', async (words, said) => {
  const asked = vi.spyOn(globalThis, 'fetch')

  const { code, err } = await shop.cli.run(['recipes', 'compare', ...words])

  expect(code).toBe(2)
  expect(err).toContain(said)
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
})
