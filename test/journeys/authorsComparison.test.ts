import { beforeEach, describe, expect, test } from 'vitest'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

let shop: Customer

const vigil = await openVigilOfFile()

// what is scanned of an account is counted
beforeEach(async () => {
  shop = await openCustomer(vigil)
})

type Body = Record<string, unknown>
interface Trial {
  readonly flow: string
  readonly live: string
  readonly shadow: string
  /** Sends this as `signal.ext.total`, at that time. */
  readonly evaluate: (total: string, time?: string) => Promise<string>
}

const noon = '2026-11-21T12:00:00Z'
const hours = (count: number) =>
  new Date(Date.parse(noon) + count * 3_600_000).toISOString().replace('.000', '')

/** A live recipe that flags from 2 on, beside a shadow recipe that flags from 3 on, or at −1. */
async function startTrial(customer = shop): Promise<Trial> {
  const rule = async (expression: string) => [
    { rule_id: await customer.rule(expression), weight: 60 },
  ]
  const live = await customer.recipe(await rule('int(signal.ext.total) >= 2'))
  const shadow = await customer.recipe(
    await rule('int(signal.ext.total) >= 3 || int(signal.ext.total) == -1'),
    { status: 'SHADOW' },
  )
  const flow = await customer.flow([live, shadow])
  return {
    flow,
    live,
    shadow,
    evaluate: async (total, time = noon) => {
      vigil.setTime(Date.parse(time))
      const { body } = await customer.evaluate(flow, { signals: { ext: { total } } })
      return String(body['id'])
    },
  }
}

const comparison = async ({ live }: Pick<Trial, 'live'>, query: string) =>
  shop.send('GET', `/v2/watch/management/recipes/${live}/comparison?${query}`)
const settle = async (path = '/v2/watch/evaluations') => {
  const head = await projectedHead(vigil)
  await shop.send('GET', `${path}?min_position=${head}`)
}
const outcomesOf = ({ body }: { body: Body }) =>
  (body['outcomes'] as Body[]).filter(({ evaluations }) => evaluations !== 0)
const pathsOf = ({ body }: { body: Body }) =>
  (body['details'] as Body[] | undefined)?.map(({ path }) => path)

describe('two recipes compared', () => {
  test('are counted by how they agreed, each kind with examples, the newest first', async () => {
    const trial = await startTrial()
    const ids = new Map<string, string[]>()
    for (const [at, total] of ['1', '2', '2', '3', '-1', '', 'x', '1'].entries()) {
      ids.set(total, [await trial.evaluate(total, hours(at - 10)), ...(ids.get(total) ?? [])])
    }
    vigil.setTime(Date.parse(noon))
    await settle()

    const answer = await comparison(trial, `with=${trial.shadow}`)

    expect(answer.body).toMatchObject({
      recipe_id: trial.live,
      with: trial.shadow,
      from: '2026-11-14T12:00:00.001Z',
      to: '2026-11-21T12:00:00.001Z',
      scanned: 8,
      agreements: 5,
      differences: 3,
    })
    expect(answer.body['outcomes']).toHaveLength(8)
    const at = (total: string) => ids.get(total) ?? []
    expect(
      outcomesOf(answer).map((one) => [one['recipe'], one['with'], one['partial_evidence']]),
    ).toEqual([
      ['PASS', 'PASS', false],
      ['PASS', 'PASS', true],
      ['PASS', 'FLAG', false],
      ['FLAG', 'PASS', false],
      ['FLAG', 'FLAG', false],
    ])
    const examples = [at('1'), [...at('x'), ...at('')], at('-1'), at('2'), at('3')]
    expect(outcomesOf(answer)).toMatchObject(
      examples.map((all) => ({ evaluations: all.length, examples: all })),
    )
    const [example] = at('-1')
    expect((await shop.send('GET', `/v2/watch/evaluations/${example}`)).body).toMatchObject({
      recipes: [{ verdict: 'PASS' }],
      shadow_recipes: [{ verdict: 'FLAG' }],
    })
  })

  test('are counted by labels, of a flow and under conditions, and listed by an export', async () => {
    const trial = await startTrial()
    const other = await shop.flow([trial.live])
    await shop.evaluate(other, { signals: { ext: { total: '2' } } })
    const flagged = [await trial.evaluate('2', hours(-3)), await trial.evaluate('2', hours(-2))]
    await trial.evaluate('3', hours(-1))
    const target = { type: 'phone_number', value: '+33612345678' }
    const event = { target, evaluation_id: flagged[0], label: 'chargeback', confidence: 'low' }
    await shop.send('POST', '/v2/watch/event', { events: [event] })
    vigil.setTime(Date.parse(noon))
    await settle()

    const answer = await comparison(trial, `with=${trial.shadow}&flow_id=${trial.flow}`)
    const narrow = await comparison(trial, `with=${trial.shadow}&where=class+%3D+fraud`)

    expect(answer.body).toMatchObject({ scanned: 3, agreements: 1, differences: 2 })
    expect(narrow.body).toMatchObject({ scanned: 1, agreements: 0, differences: 1 })
    const [differing] = outcomesOf(answer)
    expect(differing).toMatchObject({
      ...{ recipe: 'FLAG', with: 'PASS', evaluations: 2 },
      ...{ fraud: 1, legitimate: 0, unlabelled: 1 },
    })
    const where = encodeURIComponent(String(differing?.['where']))
    const from = answer.body['from']
    const listed = await shop.send(
      'GET',
      `/v2/watch/evaluations/export?columns=flow&from=${from}&where=${where}`,
    )
    const ids = listed.text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Body)['id'])
    expect(ids).toEqual(flagged)
  })

  test('are refused where nothing can be compared, and name what is wrong', async () => {
    const trial = await startTrial()
    const other = await openCustomer(vigil)
    const theirs = await other.recipe([])

    const answers = [
      await comparison(trial, ''),
      await comparison(trial, `with=${trial.live}`),
      await comparison(trial, `with=${theirs}`),
      await comparison(trial, `with=${trial.shadow}&from=yesterday&to=2026-11-21`),
      await comparison(
        trial,
        `with=${trial.shadow}&from=2026-02-30T00:00:00Z&to=2026-11-21T24:00Z`,
      ),
      await comparison(trial, `with=${trial.shadow}&from=${noon}&to=${noon}`),
      await comparison(trial, `with=${trial.shadow}&cursor=rubbish`),
    ]

    expect(answers.map((answer) => [answer.status, pathsOf(answer)])).toEqual([
      [400, ['with']],
      [400, ['with']],
      [400, ['with']],
      [400, ['from', 'to']],
      [400, ['from', 'to']],
      [400, ['from']],
      [400, ['cursor']],
    ])
    expect((await comparison({ live: theirs }, `with=${trial.shadow}`)).status).toBe(404)
  })
})

describe('evaluations in the order of the log', () => {
  const list = (query: string) => shop.send('GET', `/v2/watch/evaluations${query}`)
  const idsOf = ({ body }: { body: Body }) => (body['evaluations'] as Body[]).map(({ id }) => id)

  test('say what was answered, and what ran in the shadow apart from it', async () => {
    const trial = await startTrial()
    const id = await trial.evaluate('2')
    const record = (await shop.send('GET', `/v2/watch/evaluations/${id}`)).body
    await settle()

    const { body } = await list('?limit=1')

    const called = { name: 'a recipe', partial_evidence: false }
    expect(body).toEqual({
      evaluations: [
        {
          id,
          flow_id: trial.flow,
          flow_name: 'a flow',
          evaluated_at: '2026-11-21T12:00:00.000Z',
          verdict: 'FLAG',
          position: record['position'],
          recipes: [{ recipe_id: trial.live, verdict: 'FLAG', score: 60, ...called }],
          shadow_recipes: [{ recipe_id: trial.shadow, verdict: 'PASS', score: 0, ...called }],
        },
      ],
      next_after: expect.stringMatching(/^\d+$/),
      next_before: expect.stringMatching(/^\d+$/),
    })
  })

  test('are those of a flow, or with a verdict, when asked so; without a position, the last', async () => {
    const [one, other] = [await startTrial(), await startTrial()]
    const flagged = await one.evaluate('2')
    const passed = await one.evaluate('1')
    const elsewhere = await other.evaluate('2')
    await settle()

    expect(idsOf(await list(`?flow_id=${one.flow}`))).toEqual([flagged, passed])
    expect(idsOf(await list(`?flow_id=${one.flow}&verdict=FLAG&after=0`))).toEqual([flagged])
    expect(idsOf(await list('?verdict=FLAG&limit=2'))).toEqual([flagged, elsewhere])
    expect(idsOf(await list('?limit=2'))).toEqual([passed, elsewhere])
    expect(idsOf(await list(`?flow_id=${one.flow}&after=0&limit=1`))).toEqual([flagged])
  })

  test('are refused by each parameter that is wrong', async () => {
    const wrong = await list('?flow_id=x&verdict=MAYBE&after=-1&limit=0')

    expect([wrong.status, pathsOf(wrong)]).toEqual([400, ['flow_id', 'verdict', 'after', 'limit']])
  })
})
