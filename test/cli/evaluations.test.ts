import { describe, expect, test, vi } from 'vitest'
import { operatorToken } from '../support/openVigil.ts'
import { openAnswers } from './support/openAnswers.ts'
import { withoutIds } from './support/openCli.ts'
import { openShopOfFile } from './support/openShop.ts'

const shop = await openShopOfFile()
const { customer } = shop
const rules = [
  {
    rule_id: await customer.rule('list.block', 'On the block list'),
    weight: 100,
    preempts: 'FLAG',
  },
  {
    rule_id: await customer.rule('double(signal.ext.total) > 500.0', 'Large cart'),
    weight: 60,
  },
  { rule_id: await customer.rule('signal.ip == "192.0.2.7"', 'Known address'), weight: 5 },
]
const night = { rule_id: await customer.rule('has(signal.existing_user)', 'Says who'), weight: 1 }
const flow = await customer.flow([
  await customer.recipe(rules),
  await customer.recipe([night], { status: 'SHADOW', threshold: 1 }),
])
shop.vigil.setTime(Date.UTC(2026, 10, 21, 7, 30))

async function operated(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await shop.vigil.door.request<Record<string, unknown>>(
    'POST',
    `/v2/operator/${path}`,
    { token: operatorToken, body },
  )
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

async function issuedToken(...scopes: readonly string[]): Promise<string> {
  const { token } = await operated(`accounts/${shop.customer.accountId}/tokens`, { scopes })
  return String(token)
}

const evaluation = ['--phone', '+33612345678', '--ext', 'total=900']

describe('eval', () => {
  test('prints what every rule gave in columns', async () => {
    const { out } = await shop.run(['eval', flow, ...evaluation])

    expect(withoutIds(out)).toMatchInlineSnapshot(`
      "FLAG  evl_00000000000000000000000001  a flow

      a recipe  rcp_00000000000000000000000002  FLAG  score 60 of threshold 50, partial evidence
        OUTCOME        WEIGHT  RULE               NOTE
        NOT_TRIGGERED     100  On the block list
        TRIGGERED          60  Large cart
        NOT_EVALUATED       5  Known address      needs signal.ip
      "
    `)
  })

  test('answers a program what the API answers, and asks for nothing more', async () => {
    const asked = vi.spyOn(globalThis, 'fetch')

    const answer = await shop.read(['eval', flow, ...evaluation, '--signal', 'ip=192.0.2.7'])

    expect(Object.keys(answer)).toEqual(['id', 'verdict', 'recipes'])
    expect(asked).toHaveBeenCalledTimes(1)
    asked.mockRestore()
  })

  test('of a token that may not read the record shows ids, and says why on stderr', async () => {
    const only = await issuedToken('eval')

    const { code, out, err } = await shop.cli.run(['eval', flow, ...evaluation], {
      variables: { VIGIL_TOKEN: only },
    })

    expect(code).toBe(0)
    expect(withoutIds(out)).toMatch(/^FLAG {2}evl_0+1\n\nrcp_0+2 {2}FLAG {2}score 60/)
    expect(out).toContain('Large cart')
    expect(err).toMatch(
      /^Printed without names, because the record could not be read: .*scope.*\n$/,
    )
  })

  test('calls a managed rule by its description, in the table and where it decided', async () => {
    const description = 'Looks for throw-away numbers.'
    const managed = await operated('managed/rules', {
      name: 'secret name',
      description,
      expression: 'target.phone_number.startsWith("+33")',
    })
    const { id } = managed
    const recipe = await shop.customer.recipe([{ rule_id: id, weight: 5, preempts: 'FLAG' }])

    const { out } = await shop.run([
      ...['eval', await shop.customer.flow([recipe]), '--phone', '+33612345678'],
    ])

    expect(out).toContain(`, determined by ${description} (managed ${String(id)})\n`)
    expect(out).toMatch(
      /TRIGGERED +5 {2}Looks for throw-away numbers\. \(managed rul_\w+\) {2}set the verdict/,
    )
    expect(out).not.toContain('secret')
  })

  test.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])(
    'colours the words at a terminal, unless the environment has %o',
    async (variables) => {
      const words = ['eval', flow, ...evaluation]

      const coloured = await shop.run(words, { terminal: true })
      const plain = await shop.run(words, { terminal: true, variables })

      expect(coloured.out).toContain('\u001b[31mTRIGGERED\u001b[39m')
      expect(plain.out).not.toContain('\u001b')
    },
  )

  test.each([
    { verdict: 'FLAG', total: '900', flags: [], wanted: 0 },
    { verdict: 'FLAG', total: '900', flags: ['--exit-code'], wanted: 10 },
    { verdict: 'PASS', total: '100', flags: ['--exit-code'], wanted: 0 },
  ])('answered $verdict ends with $wanted with the flags $flags', async (row) => {
    const { verdict, total, flags, wanted } = row
    const words = ['eval', flow, '--phone', '+33612345678', '--ext', `total=${total}`, ...flags]

    const { code, json } = await shop.cli.run([...words, '--json'])

    expect(code).toBe(wanted)
    expect(json()['verdict']).toBe(verdict)
  })

  test('sends signals as what they are', async () => {
    const words = ['eval', flow, '--email', 'ada@example.com', '--signal', 'existing_user=true']
    const { id } = await shop.read([...words, '--ext', 'total=1=2'])

    const { evidence } = await shop.read(['show', String(id)])

    expect(evidence).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'target.email_address', value: 'ada@example.com' }),
        expect.objectContaining({ name: 'signal.existing_user', value: true }),
        expect.objectContaining({ name: 'signal.ext.total', value: '1=2' }),
      ]),
    )
  })

  test.each([
    [[], 'Name the end user'],
    [['--phone', '+1', '--signal', 'colour=red'], 'There is no signal colour'],
  ])('%j is refused with 2', async (words, said) => {
    const { code, err } = await shop.cli.run(['eval', flow, ...words])

    expect(code).toBe(2)
    expect(err).toContain(said)
  })

  test('--explain prints what show prints', async () => {
    const explained = await shop.run(['eval', flow, ...evaluation, '--explain'])
    const id = /evl_\w+/.exec(explained.out)?.[0] ?? ''

    const shown = await shop.run(['show', id])

    expect(explained.out).toBe(shown.out)
  })
})

describe('show', () => {
  const hash = /sha256 [0-9a-f]{64}/
  const position = /position {2}\d+/

  const shownOf = async (...flags: string[]): Promise<string> => {
    const { id } = await shop.read(['eval', flow, ...evaluation])
    const { out } = await shop.run(['show', String(id), ...flags])
    return withoutIds(out).replace(hash, 'sha256 …').replace(position, 'position …')
  }

  test('says why as a tree: recipes, rules, what each read and where that came from', async () => {
    expect(await shownOf()).toMatchInlineSnapshot(`
      "FLAG  evl_00000000000000000000000001  a flow
        FLAG  a recipe: score 60 of threshold 50: Large cart (60); not evaluated: Known address (needs signal.ip), the score could be 60 to 65
        evaluated 2026-11-21T07:30:00.000Z
        dispatch  none named

      a recipe  rcp_00000000000000000000000002  LIVE  FLAG  score 60 of threshold 50, partial evidence
      ├─ NOT_TRIGGERED  On the block list  weight 100
      │  ├─ list.block
      │  └─ list.block = false  from the account’s lists
      ├─ TRIGGERED  Large cart  weight 60
      │  ├─ double(signal.ext.total) > 500.0
      │  └─ double(signal.ext.total) = "900"  from the request
      └─ NOT_EVALUATED  Known address  weight 5  (needs signal.ip)
         ├─ signal.ip == "192.0.2.7"
         └─ signal.ip  did not arrive

      a recipe  rcp_00000000000000000000000003  SHADOW  PASS  score 0 of threshold 1
      └─ NOT_TRIGGERED  Says who  weight 1
         ├─ has(signal.existing_user)
         └─ has(signal.existing_user)  did not arrive
      "
    `)
  })

  test('with --verbose ends with what only an auditor or a program compares', async () => {
    const { out: shown } = await shop.run(['show', 'last'])
    const { out } = await shop.run(['show', 'last', '--verbose'])

    expect(out.startsWith(shown)).toBe(true)
    expect(
      withoutIds(out.slice(shown.length)).replace(hash, 'sha256 …').replace(position, 'position …'),
    ).toMatchInlineSnapshot(`
      "
      Record:
        flow      flo_00000000000000000000000001  version ver_00000000000000000000000002
        position …, semantics 1
        result    sha256 …
      "
    `)
  })

  test('gives the heaviest reasons, and counts the others', async () => {
    const rules = await Promise.all(
      Array.from({ length: 7 }, async (_, index) => ({
        rule_id: await shop.customer.rule(`${index} < 9`, `Rule ${index}`),
        weight: index + 1,
      })),
    )
    const many = await shop.customer.flow([await shop.customer.recipe(rules)])

    const { out } = await shop.run(['eval', many, '--phone', '+33612345678', '--explain'])

    expect(out.split('\n')[1]).toMatchInlineSnapshot(
      `"  PASS  a recipe: score 28 of threshold 50: Rule 6 (7), Rule 5 (6), Rule 4 (5), Rule 3 (4), Rule 2 (3) and 2 more"`,
    )
  })

  test('says what was sent and did not count, below the rule that would have read it and on its own', async () => {
    const sent = ['--signal', 'ip=192.0.2.7', '--signal', 'app_version=2.0']
    const { id } = await shop.read(['eval', flow, ...evaluation, ...sent])

    const { out } = await shop.run(['show', String(id)])

    expect(out).toContain(
      '   └─ signal.ip  did not arrive: "192.0.2.7" was sent in the request, but it counts only with a dispatch\n',
    )
    expect(out).toMatch(
      /\n\nSent, not counted:\n.*signal\.ip = .*\n {2}signal\.app_version = "2\.0" {2}in the request, because it counts only with a dispatch\n$/,
    )
  })

  test('says that the dispatch’s value was used, and which one was not', async () => {
    const dispatch = await shop.customer.dispatch({ ip: '192.0.2.7' })
    const sent = ['--dispatch', dispatch, '--signal', 'ip=192.0.2.8']
    const { id } = await shop.read(['eval', flow, ...evaluation, ...sent])

    const { out } = await shop.run(['show', String(id)])

    expect(out).toContain('  dispatch  named, and known\n')
    expect(out).toContain(
      'signal.ip = "192.0.2.7"  from the dispatch; "192.0.2.8" was sent in the request, but the dispatch brought another value\n',
    )
  })

  test('prints what a caller sent without obeying it', async () => {
    const ext = 'total=\u001b]0;owned\u0007'
    const { id } = await shop.read(['eval', flow, '--phone', '+33612345678', '--ext', ext])

    const { out } = await shop.run(['show', String(id)])

    expect(out).toContain('owned')
    expect(out).not.toMatch(/[^\P{Cc}\n]/u)
  })
})

test('replay of an evaluation gives the same', async () => {
  const { id } = await shop.read(['eval', flow, ...evaluation])

  const { out, code } = await shop.run(['replay', String(id)])

  expect({ out, code }).toEqual({ out: 'MATCH\n', code: 0 })
})

describe('what a service answers seldom', () => {
  const recipe = {
    recipe_id: 'rcp_1',
    threshold: 50,
    score: 0,
    verdict: 'FLAG',
    partial_evidence: false,
    determined_by: 'rul_1',
    rules: [
      { rule_id: 'rul_1', type: 'MANAGED', weight: 0, outcome: 'TRIGGERED' },
      { rule_id: 'rul_2', type: 'CUSTOM', name: 'B', weight: 5, outcome: 'SKIPPED' },
      {
        rule_id: 'rul_3',
        type: 'CUSTOM',
        name: 'C',
        weight: 5,
        outcome: 'NOT_EVALUATED',
        unavailable: true,
      },
    ],
  }
  const forgotten = {
    id: 'evl_1',
    flow_id: 'flo_1',
    flow_version_id: 'ver_1',
    evaluated_at: '2026-11-21T07:30:00.000Z',
    verdict: 'FLAG',
    dispatch: 'none',
    recipes: [recipe],
    shadow_recipes: [{ ...recipe, recipe_id: 'rcp_2', rules: [] }],
    evidence: { forgotten: true },
    not_counted: { forgotten: true },
    explanation: { forgotten: true },
    semantics_version: 1,
    result_hash: 'f00',
    position: '7',
  }

  const answered = async (body: object, ...words: string[]) => {
    const server = await openAnswers(() => ({ body }))
    return shop.cli.run([...words, '--server', server.url])
  }

  test('an overriding rule is said to have set the verdict, and a rule that could not run is named', async () => {
    const { out } = await answered(
      { id: 'evl_1', verdict: 'FLAG', recipes: [recipe] },
      ...['eval', 'flo_1', '--phone', '+33612345678'],
    )

    expect(out).toMatchInlineSnapshot(`
      "FLAG  evl_1

      rcp_1  FLAG  score 0 of threshold 50, determined by managed rul_1
        OUTCOME        WEIGHT  RULE           NOTE
        TRIGGERED           0  managed rul_1  set the verdict
        SKIPPED             5  B              the verdict was set before
        NOT_EVALUATED       5  C              could not run, for a reason on the service’s side
      "
    `)
  })

  test('a flow without a live recipe says so', async () => {
    const answer = { id: 'evl_1', verdict: 'PASS', recipes: [] }

    const { out } = await answered(answer, 'eval', 'flo_1', '--phone', '+33612345678')

    expect(out).toBe('PASS  evl_1\n\nNo recipe of the flow is live.\n')
  })

  test('a reason and a source that this program does not know are passed on as they are', async () => {
    const sent = { value: 'x\u001b[2J', source: 'satellite', reason: 'bad_weather' }
    const read = { name: 'signal.ip', use: 'read', arrived: false, not_counted: [sent] }
    const rule = { ...recipe.rules[2], blocked_by: 'signal.ip', reads: [read] }
    const body = {
      ...forgotten,
      dispatch: 'lost',
      shadow_recipes: [],
      explanation: [{ ...recipe, status: 'LIVE', rules: [rule] }],
      not_counted: [{ name: 'signal.ip', ...sent }],
    }

    const { out } = await answered(body, 'show', 'evl_1')

    expect(out).toContain('  dispatch  lost\n')
    expect(out).toContain(
      'did not arrive: "x\\u001b[2J" was sent in the satellite, but the service says bad_weather\n',
    )
    expect(out).toContain('in the satellite, because the service says bad_weather\n')
  })

  test('a record from before it was noted what did not count says nothing of it', async () => {
    const { not_counted: _, ...body } = { ...forgotten, explanation: [] }

    const { code, out } = await answered(body, 'show', 'evl_1')

    expect(code).toBe(0)
    expect(out).not.toContain('not counted')
  })

  test('an evaluation of somebody who has been forgotten still shows its outcomes', async () => {
    const { code, out } = await answered(forgotten, 'show', 'evl_1')

    expect(code).toBe(0)
    expect(out).toMatchInlineSnapshot(`
      "FLAG  evl_1
        FLAG  rcp_1: determined by managed rul_1; not evaluated: C (could not run, for a reason on the service’s side)
        evaluated 2026-11-21T07:30:00.000Z
        dispatch  none named

      rcp_1  LIVE  FLAG  score 0 of threshold 50, determined by managed rul_1
      ├─ TRIGGERED  managed rul_1  weight 0  (set the verdict)
      ├─ SKIPPED  B  weight 5  (the verdict was set before)
      └─ NOT_EVALUATED  C  weight 5  (could not run, for a reason on the service’s side)

      rcp_2  SHADOW  FLAG  score 0 of threshold 50, determined by rul_1

      The evidence has been erased with the person it was about; the outcomes remain.
      "
    `)
  })

  test('a replay that differs says where, and ends with 4', async () => {
    const differences = [
      { path: 'answer.verdict', recorded: 'PASS', recomputed: 'FLAG' },
      { path: 'answer.recipes.1', recomputed: { score: 1 } },
    ]

    const { code, out } = await answered({ result: 'MISMATCH', differences }, 'replay', 'evl_1')

    expect(code).toBe(4)
    expect(out).toMatchInlineSnapshot(`
      "MISMATCH
        answer.verdict
          recorded    "PASS"
          recomputed  "FLAG"
        answer.recipes.1
          recorded    nothing
          recomputed  {"score":1}
      "
    `)
  })
})
