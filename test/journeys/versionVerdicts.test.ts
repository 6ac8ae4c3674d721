/** The verdicts given under a version that the flow of today would change, over HTTP and the command line. */

import { beforeAll, expect, test } from 'vitest'
import { eraseSubjects } from '../../src/commands/handling/eraseSubject.ts'
import { openShopOfFile } from '../cli/support/openShop.ts'
import { openCustomer } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

type Body = Record<string, unknown>

const shop = await openShopOfFile()
const { customer, vigil } = shop
const { context } = vigil.service
const start = Date.UTC(2026, 10, 21, 9)
const rule = await customer.rule('double(signal.ext.total) > 100.0', 'total')
const shadowed = await customer.rule('1 == 1', 'always')
const recipe = await customer.recipe([{ rule_id: rule, weight: 60 }])
const shadow = await customer.recipe([{ rule_id: shadowed, weight: 60 }], { status: 'SHADOW' })
const flows = [await customer.flow([recipe, shadow]), await customer.flow([recipe])]
const gone = await customer.flow([recipe])

interface Evaluated {
  readonly id: string
  readonly flow: string
  readonly number: string
  readonly total: number
  readonly verdict: unknown
}
const before: Evaluated[] = []
const versions = { rule: '', recipe: '', flow: '', shadowed: '' }
const get = async (path: string) => (await customer.send('GET', path)).body
const management = '/v2/watch/management'

async function evaluate(flow: string, index: number): Promise<Evaluated> {
  vigil.setTime(start + index * 60_000)
  const total = 50 * (index % 8)
  const number = `+336123456${String(10 + index)}`
  const { body, text, status } = await customer.evaluate(flow, {
    target: { phone_number: number },
    signals: { ext: { total: String(total) } },
    metadata: { correlation_id: `order\u2028${index}` },
  })
  if (status !== 200) throw new Error(text)
  return { id: String(body['id']), flow, number, total, verdict: body['verdict'] }
}

beforeAll(async () => {
  versions.rule = String((await get(`${management}/rules/${rule}`))['version_id'])
  versions.shadowed = String((await get(`${management}/rules/${shadowed}`))['version_id'])
  versions.recipe = String((await get(`${management}/recipes/${recipe}`))['version_id'])
  versions.flow = String((await get(`${management}/flows/${flows[0]}`))['version_id'])
  for (let index = 0; index < 24; index += 1) {
    before.push(await evaluate([...flows, gone][index % 3] ?? '', index))
  }
  const edited = { name: 'total', expression: 'double(signal.ext.total) > 300.0' }
  await customer.send('PUT', `${management}/rules/${rule}`, edited)
  // none of these ran the version
  for (let index = 24; index < 30; index += 1) await evaluate(flows[0] ?? '', index)
  await customer.send('DELETE', `${management}/flows/${gone}`)
  await projectedHead(vigil)
})

const pathOf = (version: string) => `/v2/watch/versions/${version}/verdicts`
const ask = async (version: string, query = '') => {
  const { status, text } = await customer.send('GET', `${pathOf(version)}${query}`)
  if (status !== 200) throw new Error(text)
  const lines = text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, Body>)
  return {
    verdicts: lines.flatMap(({ verdict }): Body[] => (verdict ? [verdict] : [])),
    result: lines.at(-1)?.['result'] ?? {},
    progress: lines.flatMap(({ progress }): Body[] => (progress ? [progress] : [])),
  }
}

/** Those of the flows that the edited rule no longer flags. */
const turned = (of: readonly string[]) =>
  before.filter(({ flow, total }) => of.includes(flow) && total > 100 && total <= 300)
const byId = (rows: readonly Body[]) =>
  rows.toSorted((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1))
const toRow = ({ id, flow, number }: Evaluated) => ({
  ...{ id, flow, 'target.phone_number': number, answered: 'FLAG', now: 'PASS' },
  evaluated_at: new Date(start + before.findIndex((one) => one.id === id) * 60_000).toISOString(),
  correlation_id: `order\u2028${before.findIndex((one) => one.id === id)}`,
})

test.each([
  ['rule', flows, 24],
  // the recipe and the flow have run since
  ['recipe', flows, 30],
  ['flow', flows.slice(0, 1), 14],
] as const)('of a %s are those that its edited rule turns', async (kind, of, ran) => {
  const { verdicts, result, progress } = await ask(versions[kind])

  expect(byId(verdicts)).toEqual(byId(turned(of).map(toRow)))
  expect(verdicts.length).toBeGreaterThan(2)
  expect(result).toMatchObject({
    ...{ version_id: versions[kind], to_flag: 0, to_pass: turned(of).length, forgotten: 0 },
    ...{ not_evaluated: 0, without_flow: kind === 'flow' ? 0 : 8 },
    evaluations: ran,
  })
  const done = progress.map((one) => Number(one['done']))
  expect(done).toEqual(done.toSorted((one, other) => one - other))
  expect(done.at(-1)).toBeLessThanOrEqual(1)
})

test('a where and times narrow them', async () => {
  const [first] = turned(flows)
  const { verdicts } = await ask(
    versions.rule,
    `?where=${encodeURIComponent(`phone = ${first?.number}`)}`,
  )
  const later = await ask(versions.rule, `?from=${new Date(start + 20 * 60_000).toISOString()}`)

  expect(verdicts.map(({ id }) => id)).toEqual([first?.id])
  expect(later.result['evaluations']).toBe(4)
})

test('a version that only a shadow recipe ran has none, one that is not of the account is not found', async () => {
  const stranger = await openCustomer(vigil)
  const foreign = await stranger.send('GET', pathOf(versions.rule))

  const { verdicts, result } = await ask(versions.shadowed)

  expect([verdicts, result['evaluations']]).toEqual([[], 0])
  expect(foreign.status).toBe(404)
  expect((await customer.send('GET', pathOf(`ver_${'0'.repeat(26)}`))).status).toBe(404)
})

test('it takes the scope analyse, and no other is enough', async () => {
  for (const scope of ['author', 'audit', 'manage'] as const) {
    const token = await customer.tokenWith([scope])
    expect((await vigil.door.request('GET', pathOf(versions.rule), { token })).status).toBe(403)
  }
})

test('the command prints a line for each, and what they add up to beside them', async () => {
  const { out, err } = await shop.run(['versions', 'verdicts', versions.rule])

  const rows = out
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Body)
  expect(byId(rows)).toEqual(byId(turned(flows).map(toRow)))
  expect(err).toContain(`24 evaluations ran the version, 1970-01-01T00:00:00.000Z to `)
  expect(err).toContain(
    `: the flow of today turns 0 to FLAG, ${rows.length} to PASS; 8 are of flows that there are no more.`,
  )
})

test('who is erased is counted, and not shown', async () => {
  const [first] = turned(flows)
  const subject = context.keyring.subject(customer.accountId, 'phone', first?.number ?? '')
  const call = { principal: { kind: 'operator' } as const, requestId: 'r' }
  await eraseSubjects(context, call, { account: customer.accountId, subjects: [subject] })
  await projectedHead(vigil)

  const { verdicts, result } = await ask(versions.rule)

  expect(verdicts.map(({ id }) => id)).not.toContain(first?.id)
  expect(result).toMatchObject({
    ...{ evaluations: 24, forgotten: 1, to_pass: turned(flows).length - 1 },
  })
})
