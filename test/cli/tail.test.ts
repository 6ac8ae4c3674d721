import stringWidth from 'string-width'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { projectedHead } from '../support/projectedHead.ts'
import { type Answers, openAnswers, type Question, type Reply } from './support/openAnswers.ts'
import { type Cli, openCli, type Situation } from './support/openCli.ts'
import { openShop, type Shop } from './support/openShop.ts'

const evaluation = (number: number, verdict = 'PASS') => ({
  id: `evl_${number}`,
  flow_id: 'flo_1',
  evaluated_at: '2026-11-21T07:30:00.000Z',
  verdict,
  recipes: [
    { recipe_id: 'rcp_1', verdict, score: number, partial_evidence: false },
    { recipe_id: 'rcp_2', verdict: 'PASS', score: 0, partial_evidence: true },
  ],
})

const failing: Reply = {
  status: 500,
  body: { code: 'internal', message: 'Ours.', type: 'internal', request_id: 'r' },
}

describe('tail of a service that answers as it is told', () => {
  let cli: Cli
  let server: Answers
  let reply: (question: Question, number: number) => Reply | undefined

  beforeEach(async () => {
    cli = openCli({ VIGIL_TOKEN: 't' })
    server = await openAnswers((question, number) => reply(question, number))
  })

  afterEach(async () => {
    cli.close()
  })

  const tail = (words: readonly string[], situation?: Situation) =>
    cli.run(['tail', '--server', server.url, ...words], situation)
  const page = (after: number, ...evaluations: object[]): Reply => ({
    body: { evaluations, next_after: String(after) },
  })
  const paths = () => server.asked.map(({ path }) => path)

  test('asks where the log is, then prints what comes behind it, a line each, until Ctrl-C', async () => {
    const interruption = new AbortController()
    reply = (_, number) =>
      [page(7, evaluation(1)), page(9, evaluation(2, 'FLAG'), evaluation(3)), page(9)][
        number - 1
      ] ?? page(10, evaluation(4))

    const { code, out, err } = await tail([], {
      interrupted: interruption.signal,
      onOut: (text) => {
        if (text.includes('evl_4')) interruption.abort()
      },
    })

    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatchInlineSnapshot(`
      "2026-11-21T07:30:00.000Z  FLAG  flo_1  rcp_1 2  partial evidence  evl_2
      2026-11-21T07:30:00.000Z  PASS  flo_1  partial evidence  evl_3
      2026-11-21T07:30:00.000Z  PASS  flo_1  partial evidence  evl_4
      "
    `)
    expect(paths().slice(0, 4)).toEqual([
      '/v2/watch/evaluations?limit=1',
      '/v2/watch/evaluations?after=7&limit=200',
      '/v2/watch/evaluations?after=9&limit=200',
      '/v2/watch/evaluations?after=9&limit=200',
    ])
  })

  test('with --count prints the last so many in their order, and ends', async () => {
    reply = () => page(9, evaluation(2, 'FLAG'), evaluation(3))

    const { code, out } = await tail(['--count', '5', '--flow', 'flo_1', '--verdict', 'flag'])

    expect({ code, ids: out.match(/evl_\d/g) }).toEqual({ code: 0, ids: ['evl_2', 'evl_3'] })
    expect(paths()).toEqual(['/v2/watch/evaluations?flow_id=flo_1&verdict=FLAG&limit=5'])
    expect(cli.pauses).toEqual([])
  })

  test('with --count goes back page by page until there are so many', async () => {
    const pages = [
      { evaluations: [evaluation(8), evaluation(9)], next_before: '8' },
      { evaluations: [], next_before: '5' },
      { evaluations: [evaluation(3), evaluation(4)], next_before: '3' },
    ]
    reply = (_, number) => ({ body: pages[number - 1] ?? { evaluations: [evaluation(1)] } })

    const { out } = await tail(['--count', '4'])

    expect(out.match(/evl_\d/g)).toEqual(['evl_3', 'evl_4', 'evl_8', 'evl_9'])
    expect(paths()).toEqual([
      '/v2/watch/evaluations?limit=4',
      '/v2/watch/evaluations?before=8&limit=2',
      '/v2/watch/evaluations?before=5&limit=2',
    ])
  })

  test('calls flow and recipes by their names, and obeys none of them', async () => {
    const named = {
      ...evaluation(90, 'FLAG'),
      flow_name: 'Sign\u001b[2Jup',
      recipes: [
        { recipe_id: 'rcp_1', name: 'Carts', verdict: 'FLAG', score: 90, partial_evidence: false },
        { recipe_id: 'rcp_2', name: 'Speed', verdict: 'FLAG', score: 50, partial_evidence: false },
        { recipe_id: 'rcp_3', name: 'Quiet', verdict: 'PASS', score: 0, partial_evidence: false },
      ],
    }
    reply = () => page(9, named)

    const { out } = await tail(['--after', '5', '--count', '1'])

    expect(out).toBe(
      '2026-11-21T07:30:00.000Z  FLAG  Sign\\u{1b}[2Jup  Carts 90, Speed 50  evl_90\n',
    )
  })

  test('prints an object a line with --json', async () => {
    reply = () => page(9, evaluation(2), evaluation(3))

    const { out } = await tail(['--after', '0', '--count', '2', '--json'])

    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([evaluation(2), evaluation(3)])
  })

  test('prints no more than it is asked for', async () => {
    reply = () => page(9, evaluation(2), evaluation(3), evaluation(4))

    const { out } = await tail(['--after', '0', '--count', '2'])

    expect(out.match(/evl_\d/g)).toEqual(['evl_2', 'evl_3'])
  })

  test('rests longer and longer while nothing happens, never over four seconds', async () => {
    reply = (_, number) => (number < 9 ? page(5) : page(6, evaluation(2), evaluation(3)))

    await tail(['--after', '5', '--count', '2'])

    expect(cli.pauses).toEqual([500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000])
  })

  test('says once what it waits for, and nothing when it need not wait or follows without an end', async () => {
    reply = (_, number) => (number < 3 ? page(5) : page(6, evaluation(2), evaluation(3)))
    const waiting = await tail(['--after', '5', '--count', '2'])
    reply = () => page(9, evaluation(2))
    const ready = await tail(['--after', '5', '--count', '1'])

    expect(waiting.err).toBe('Waiting for 2 more evaluations after position 5; Ctrl-C ends it.\n')
    expect(ready.err).toBe('')
  })

  test('does not rest between full pages', async () => {
    const full = Array.from({ length: 200 }, (_, index) => evaluation(index))
    reply = (_, number) => page(number, ...full)

    await tail(['--after', '0', '--count', '600'])

    expect(cli.pauses).toEqual([])
    expect(server.asked).toHaveLength(3)
  })

  test('goes on where it was after the service has failed', async () => {
    reply = (_, number) => (number < 4 ? failing : page(9, evaluation(2)))

    const { code, out, err } = await tail(['--after', '5', '--count', '1'])

    expect(code).toBe(0)
    expect(out).toContain('evl_2')
    expect(err).toBe('Ours. Trying again.\n')
    expect(cli.pauses).toEqual([500, 1_000, 2_000])
    expect(new Set(paths())).toEqual(new Set(['/v2/watch/evaluations?after=5&limit=200']))
  })

  test('gives up after ten failures in a row', async () => {
    reply = () => failing

    const { code, err } = await tail(['--after', '5'])

    expect(code).toBe(3)
    expect(err).toContain('vigil: internal: Ours.')
    expect(server.asked).toHaveLength(10)
    expect(Math.max(...cli.pauses)).toBe(30_000)
  })

  test('ends at once when the service refuses', async () => {
    reply = () => ({ ...failing, status: 403 })

    const { code } = await tail(['--after', '5'])

    expect(code).toBe(1)
    expect(server.asked).toHaveLength(1)
  })
})

describe('the evaluations of a whole service', () => {
  let shop: Shop
  let ids: readonly string[]
  let flow: string

  beforeAll(async () => {
    shop = await openShop()
    const rule = await shop.customer.rule('signal.ext.total == "1"', 'One')
    flow = await shop.customer.flow([
      await shop.customer.recipe([{ rule_id: rule, weight: 60 }], { name: 'Ones' }),
    ])
    const other = await shop.customer.flowOf('list.block')
    const made: string[] = []
    for (const [of, total] of [
      [flow, '1'],
      [flow, '2'],
      [other, '1'],
      [flow, '1'],
    ] as const) {
      const words = ['eval', of, '--phone', '+33612345678', '--ext', `total=${total}`]
      made.push(String((await shop.read(words))['id']))
    }
    ids = made
    await projectedHead(shop.vigil)
  })

  afterAll(() => shop.close())

  const listed = async (...flags: string[]) =>
    (await shop.read(['evaluations', 'list', ...flags])) as {
      evaluations: readonly { id: string }[]
      next_before?: string
    }
  const idsOf = ({ evaluations }: Awaited<ReturnType<typeof listed>>) =>
    evaluations.map(({ id }) => id)

  test('are listed from the newest back, and the rest behind a position', async () => {
    const first = await listed('--limit', '3')
    const rest = await listed('--before', first.next_before ?? '')

    expect(idsOf(first)).toEqual([...ids].reverse().slice(0, 3))
    expect(idsOf(rest)).toEqual([ids[0]])
    expect(rest.next_before).toBeUndefined()
  })

  test('are listed by flow and by verdict', async () => {
    const ofFlow = ids.filter((_, at) => at !== 2).reverse()

    expect(idsOf(await listed('--flow', flow))).toEqual(ofFlow)
    expect(idsOf(await listed('--verdict', 'pass'))).toEqual([ids[2], ids[1]])
    expect(idsOf(await listed('--flow', flow, '--verdict', 'FLAG'))).toEqual([ids[3], ids[0]])
  })

  test('are listed in columns that fit the terminal, with where to go on', async () => {
    const { out } = await shop.run(['evaluations', 'list', '--limit', '1'])
    const narrow = await shop.run(['evaluations', 'list'], { terminal: true, columns: 60 })

    expect(out).toMatch(
      new RegExp(
        `^EVALUATED +VERDICT +FLOW +FLAGGED BY +EVIDENCE +ID\n\\S+Z +FLAG +a flow +Ones 60 +${ids[3]}\nThere may be older ones: --before \\d+\n$`,
      ),
    )
    for (const line of narrow.out.split('\n')) {
      expect(stringWidth(line)).toBeLessThanOrEqual(60)
    }
    for (const id of ids) expect(narrow.out).toContain(id)
  })

  test.each([
    [['--verdict', 'maybe'], 'Must be PASS or FLAG.'],
    [['--before', 'now'], 'Must be a whole number from 1'],
  ])('%j is refused with 2', async (flags, said) => {
    const { code, err } = await shop.cli.run(['evaluations', 'list', ...flags])

    expect(code).toBe(2)
    expect(err).toContain(said)
  })
})
