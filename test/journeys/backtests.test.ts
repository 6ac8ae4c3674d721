/** What a draft would have answered in the past, against a replay of the log in the plainest way. */

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { eraseSubjects } from '../../src/commands/handling/eraseSubject.ts'
import { compilePlan } from '../../src/engine/compile/compilePlan.ts'
import type { Evidence, EvidenceItem } from '../../src/engine/run/evidence.ts'
import { decode, openEvent } from '../../src/events/catalogue.ts'
import { type FlowEvaluated, readClock } from '../../src/events/evaluation/evaluationEvents.ts'
import type { DecodedEvent } from '../../src/events/recording/event.ts'
import { prepareBacktest } from '../../src/queries/analysis/backtest/prepareBacktest.ts'
import { runBacktest } from '../../src/queries/analysis/backtest/runBacktest.ts'
import { readRecordedEvidence } from '../../src/queries/evaluation/decryptEvaluation.ts'
import { compileRule } from '../../src/state/rulebook/compileRule.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { type Customer, openCustomer, operatorToken, sendAs } from '../support/openVigil.ts'
import { seedOfRun } from '../support/seedOfRun.ts'
import { readBacktest } from './support/readBacktest.ts'

type Body = Record<string, unknown>

const vigil = await openVigilOfFile()
const { context } = vigil.service
const start = Date.UTC(2026, 10, 21, 9)
const minute = 60_000
const count = 120
/** When a rule was edited, and when everything is over. */
const editedMs = start + (count / 2) * minute - 1
const overMs = start + 2 * count * minute
const path = '/v2/watch/management/backtests'

let shop: Customer
let flow: string
let recipe: string
let vip: string
const rules: Record<'country' | 'total' | 'known' | 'vip', string> = {
  country: '',
  total: '',
  known: '',
  vip: '',
}
const labels = new Map<string, 'fraud' | 'legitimate'>()

const numberOf = (index: number) => `+336110${String(10_000 + index)}`
const note = ({ status, text }: Awaited<ReturnType<Customer['send']>>) => {
  if (status >= 300) throw new Error(text)
}
const enter = async (list: string, value: string) =>
  note(await shop.send('POST', `/v2/watch/management/lists/${list}/entries`, { value }))

const request = fc.record({
  country: fc.option(fc.constantFrom('FR', 'NG', 'DE'), { nil: undefined }),
  total: fc.option(fc.constantFrom('100', '400', '900', 'much'), { nil: undefined }),
  known: fc.option(fc.boolean(), { nil: undefined }),
  label: fc.constantFrom(undefined, undefined, 'payment.chargeback', 'user.legitimate'),
})

const evaluate = async (index: number, { country, total, known }: Body) => {
  vigil.setTime(start + index * minute)
  const ext = { ...(country ? { country } : {}), ...(total ? { total } : {}) }
  const signals = { ext, ...(known === undefined ? {} : { existing_user: known }) }
  const target = { phone_number: numberOf(index) }
  const answer = await shop.evaluate(flow, { target, signals })
  note(answer)
  return String(answer.body['id'])
}

const report = async (index: number, label: string) => {
  const target = { type: 'phone_number', value: numberOf(index) }
  const events = [{ target, label, confidence: 'high' }]
  note(await shop.send('POST', '/v2/watch/event', { events }))
}

beforeAll(async () => {
  vigil.setTime(start - minute)
  shop = await openCustomer(vigil)
  vip = await shop.list('vip', 'phone_number')
  await shop.list('risky', 'phone_number')
  rules.country = await shop.rule('signal.ext.country != "FR"', 'country')
  rules.total = await shop.rule('int(signal.ext.total) > 500', 'total')
  rules.known = await shop.rule('signal.existing_user', 'known')
  rules.vip = await shop.rule('inList("vip", target.phone_number)', 'vip')
  recipe = await shop.recipe([
    { rule_id: rules.vip, weight: 0, preempts: 'PASS' },
    { rule_id: rules.country, weight: 30 },
    { rule_id: rules.total, weight: 40 },
    { rule_id: rules.known, weight: -20 },
  ])
  flow = await shop.flow([recipe])
  for (const index of [3, 5, 70]) await enter(vip, numberOf(index))
  const requests = fc.sample(request, { seed: seedOfRun, numRuns: count })
  for (const [index, one] of requests.entries()) {
    if (index === count / 2) {
      const edited = { name: 'country', expression: 'signal.ext.country == "NG"' }
      note(await shop.send('PUT', `/v2/watch/management/rules/${rules.country}`, edited))
    }
    await evaluate(index, one)
    if (one.label) await report(index, one.label)
    if (one.label)
      labels.set(numberOf(index), one.label.endsWith('chargeback') ? 'fraud' : 'legitimate')
  }
  vigil.setTime(overMs)
  // what is to come: none of these evaluations knew of it
  for (let index = 0; index < count; index += 2) await enter(vip, numberOf(index))
})

const queryOf = (query: object) => {
  const asked = { from: at(start), to: at(overMs), ...query }
  return `?${new URLSearchParams(asked as Record<string, string>)}`
}
const ask = (body: unknown, query: object = {}) =>
  shop.send('POST', `${path}${queryOf(query)}`, body)
/** Starts one, waits until it has ended, and answers its report. */
const backtest = (body: unknown, query: object = {}) =>
  readBacktest(vigil, shop, { body, query: queryOf(query) })
const at = (timeMs: number) => new Date(timeMs).toISOString()

/** A recipe as it stands in a draft. */
const drafted = () => ({
  threshold: 60,
  rules: [
    { rule_id: rules.vip, weight: 0, preempts: 'PASS' },
    { rule_id: rules.country, weight: 30 },
    { expression: 'int(signal.ext.total) > 300', weight: 40 },
    { rule_id: rules.known, weight: -20 },
    { expression: 'inList("risky", target.phone_number)', weight: 25 },
  ],
})

type Planned = readonly [expression: string, weight: number, preempts?: 'PASS']
const today: readonly Planned[] = [
  ['inList("vip", target.phone_number)', 0, 'PASS'],
  ['signal.ext.country == "NG"', 30],
  ['int(signal.ext.total) > 500', 40],
  ['signal.existing_user', -20],
]
const ofDraft: readonly Planned[] = [
  today[0] as Planned,
  today[1] as Planned,
  ['int(signal.ext.total) > 300', 40],
  today[3] as Planned,
  ['inList("risky", target.phone_number)', 25],
]

function compile(planned: readonly Planned[], threshold: number) {
  const lists = new Map([
    ['vip', 'phone_number' as const],
    ['risky', 'phone_number' as const],
  ])
  const version_id = 'v'
  const members = planned.map(([text, weight, preempts], index) => ({
    ...{ rule_id: `r${index}`, type: 'CUSTOM' as const, name: text, version_id, weight },
    ...(preempts && { preempts }),
    expression: compileRule(text, { lists }),
  }))
  const one = { recipe_id: 'r', version_id, status: 'LIVE' as const, threshold, rules: members }
  return compilePlan({ flow_id: 'f', flow_version_id: version_id, semantics: 1, recipes: [one] })
}

type Evaluated = DecodedEvent<{ readonly type: 'FlowEvaluated'; readonly data: FlowEvaluated }>

/** Every evaluation of the flow, as the log has it; the evidence is undefined where it was erased. */
async function readLog() {
  const found: { id: string; data: FlowEvaluated; evidence: Evidence | undefined }[] = []
  for (const recorded of await context.events.readAll({ after: 0, limit: 100_000 })) {
    if (recorded.type !== 'FlowEvaluated') continue
    const decoded = decode(recorded) as Evaluated
    const { data } = (await openEvent(decoded, context.keyring)).event
    if (data.flow_id !== flow) continue
    const evidence = readRecordedEvidence(data, readClock(decoded))
    found.push({ id: data.evaluation_id, data, evidence })
  }
  return found
}

/** Whatever a list that was not asked would have said, as far as it is the same. */
function judge(plan: ReturnType<typeof compile>, evidence: Evidence) {
  const name = 'inList("risky", target.phone_number)'
  const answers = [true, false].map((value): EvidenceItem => ({ value, source: 'list' }))
  const verdicts = new Set(
    answers.map((item) => plan.run(new Map([...evidence, [name, item]])).verdict),
  )
  const [verdict] = verdicts
  const partial = plan.run(evidence).recipes.some((one) => one.partial_evidence)
  return { verdict: verdicts.size > 1 ? 'NOT_EVALUATED' : String(verdict), partial }
}

describe('a draft over recorded evaluations', () => {
  test('is counted as a replay of the log counts it, and every change is named', async () => {
    const plans = { draft: compile(ofDraft, 60), today: compile(today, 50) }
    const judged = (await readLog()).reverse().map(({ id, data, evidence = new Map() }) => {
      const { partial, ...draft } = judge(plans.draft, evidence)
      const unchanged = judge(plans.today, evidence).verdict
      const label_class = labels.get(String(data.phone_number))
      const verdicts = { answered: data.verdict, unchanged, draft: draft.verdict }
      return { id, verdicts, partial, label_class }
    })
    const rows = new Map<string, typeof judged>()
    for (const one of judged) {
      const key = Object.values(one.verdicts).join(' ')
      rows.set(key, [...(rows.get(key) ?? []), one])
    }
    const table = [...rows.keys()].sort().map((key) => {
      const all = rows.get(key) ?? []
      const of = (label?: string) => all.filter((one) => one.label_class === label).length
      return {
        ...all[0]?.verdicts,
        evaluations: all.length,
        partial: all.filter(({ partial }) => partial).length,
        ...{ fraud: of('fraud'), legitimate: of('legitimate'), unlabelled: of() },
      }
    })
    const changes = (from: 'answered' | 'unchanged', to: 'unchanged' | 'draft') => {
      const turned = (verdict: string) =>
        judged.filter(
          ({ verdicts }) =>
            verdicts[to] === verdict && verdicts[from] === (verdict === 'FLAG' ? 'PASS' : 'FLAG'),
        ).length
      return { to_flag: turned('FLAG'), to_pass: turned('PASS') }
    }
    const changed = judged.flatMap(({ id, verdicts, label_class }) => {
      const known = Object.values(verdicts).filter((one) => one !== 'NOT_EVALUATED')
      const label = label_class && { label_class }
      return new Set(known).size > 1 ? [{ id, ...verdicts, ...label }] : []
    })

    const found = await backtest({ flow_id: flow, draft: { recipes: [drafted()] } })

    expect(found).toEqual({
      flow_id: flow,
      lists: 'then',
      from: at(start),
      to: at(overMs),
      evaluations: count,
      forgotten: 0,
      table,
      by_draft: changes('unchanged', 'draft'),
      anyway: changes('answered', 'unchanged'),
      changed,
      changed_more: 0,
    })
    expect(rows.size).toBeGreaterThan(3)
  })

  test('unchanged changes nothing, whatever has changed since', async () => {
    const found = await backtest({ flow_id: flow, draft: { recipes: [recipe] } })

    expect(found['by_draft']).toEqual({ to_flag: 0, to_pass: 0 })
    expect(found.table.filter((row) => row['draft'] !== row['unchanged'])).toEqual([])
    const sinceEdited = await backtest(
      { flow_id: flow, draft: { recipes: [recipe] } },
      { from: at(editedMs) },
    )
    expect(sinceEdited).toMatchObject({ evaluations: count / 2, changed: [] })
  })

  test('knows nothing of entries that were listed later, and all of them with lists of now', async () => {
    const body = { flow_id: flow, draft: { recipes: [recipe] } }
    const since = { from: at(editedMs) }
    const log = (await readLog()).slice(count / 2)
    // from the edit on every second number is listed by now
    const listed = log.filter(({ data }, index) => index % 2 === 0 && data.verdict === 'FLAG')

    const then = await backtest(body, since)
    const now = await backtest(body, { ...since, lists: 'now' })

    expect(then['anyway']).toEqual({ to_flag: 0, to_pass: 0 })
    expect(now['anyway']).toEqual({ to_flag: 0, to_pass: listed.length })
    expect(now['by_draft']).toEqual({ to_flag: 0, to_pass: 0 })
    expect(now.changed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).reverse())
  })

  test('with lists of now, is evaluated where a list had not been asked', async () => {
    const body = { flow_id: flow, draft: { recipes: [drafted()] } }

    const { table } = await backtest(body, { lists: 'now' })

    expect(table.filter(({ draft }) => draft === 'NOT_EVALUATED')).toEqual([])
  })

  test('of a rule alone flags where it triggers, and is not evaluated where a name is missing', async () => {
    const expression = 'int(signal.ext.total) > 300'
    const log = await readLog()
    const count = (...totals: readonly unknown[]) =>
      log.filter(({ evidence }) => totals.includes(evidence?.get('signal.ext.total')?.value)).length

    const { table } = await backtest({ expression })

    const sum = (draft: string) =>
      table
        .filter((row) => row['draft'] === draft)
        .reduce((total, row) => total + Number(row['evaluations']), 0)
    expect([sum('FLAG'), sum('PASS'), sum('NOT_EVALUATED')]).toEqual([
      count('400', '900'),
      count('100'),
      count(undefined, 'much'),
    ])
    expect(table.every((row) => row['unchanged'] === undefined)).toBe(true)
  })
})

describe('other weights', () => {
  const changes = { threshold: 30, weights: [] as object[] }
  const weighed = () => ({
    threshold: changes.threshold,
    rules: [
      { rule_id: rules.vip, weight: 0, preempts: 'PASS' },
      { rule_id: rules.country, weight: 35 },
      { rule_id: rules.total, weight: 40 },
      { rule_id: rules.known, weight: -60 },
    ],
  })
  const reweighed = () => ({
    flow_id: flow,
    recipe_id: recipe,
    threshold: changes.threshold,
    weights: [
      { rule_id: rules.country, weight: 35 },
      { rule_id: rules.known, weight: -60 },
    ],
  })

  test('come out as the same recipe run in full', async () => {
    const since = { from: at(editedMs) }

    const full = await backtest({ flow_id: flow, draft: { recipes: [weighed()] } }, since)

    expect(await backtest(reweighed(), since)).toEqual(full)
    expect(full.changed.length).toBeGreaterThan(0)
  })

  test('say where another version of a rule ran, and guess nothing there', async () => {
    const full = await backtest({ flow_id: flow, draft: { recipes: [weighed()] } })
    const found = await backtest(reweighed())

    const open = found.table.filter(({ draft }) => draft === 'NOT_EVALUATED')
    expect(open.length).toBeGreaterThan(0)
    const verdicts = new Map(full.changed.map(({ id, ...verdicts }) => [id, verdicts]))
    for (const { id, ...known } of found.changed) {
      const isKnown = known['draft'] !== 'NOT_EVALUATED'
      if (isKnown) expect(verdicts.get(id)?.['draft'] ?? known['draft']).toBe(known['draft'])
    }
  })

  test.each([
    ['lists', {}, { lists: 'now' }],
    ['recipe_id', { recipe_id: `rcp_${'0'.repeat(26)}` }],
    ['weights.0.rule_id', { weights: [{ rule_id: `rul_${'0'.repeat(26)}`, weight: 1 }] }],
    ['threshold', { threshold: undefined, weights: undefined }],
    ['flow_id', { flow_id: undefined }],
    ['expression', { expression: '1 == 1' }],
  ])('are refused on %s', async (field: string, change: object, query: object = {}) => {
    const { status, body } = await ask({ ...reweighed(), ...change }, query)

    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(`"${field}"`)
  })
})

test('a where narrows it, and a token needs both scopes', async () => {
  const asked = { flow_id: flow, draft: { recipes: [recipe] } }

  const { evaluations } = await backtest(asked, { where: 'class = fraud' })

  expect(evaluations).toBe([...labels.values()].filter((one) => one === 'fraud').length)
  for (const scope of ['author', 'analyse'] as const) {
    const token = await shop.tokenWith([scope])
    const { status } = await vigil.door.request('POST', path, { token, body: asked })
    expect(status).toBe(403)
  }
})

test('evaluations whose evidence is erased are counted apart, and weighed anew all the same', async () => {
  const subject = context.keyring.subject(shop.accountId, 'phone', numberOf(80))
  const call = { principal: { kind: 'operator' } as const, requestId: 'r' }
  await eraseSubjects(context, call, { account: shop.accountId, subjects: [subject] })

  const run = await backtest({ flow_id: flow, draft: { recipes: [recipe] } })
  const weighed = await backtest({ flow_id: flow, recipe_id: recipe, threshold: 50 })

  expect(run).toMatchObject({ evaluations: count - 1, forgotten: 1 })
  expect(weighed).toMatchObject({ evaluations: count, forgotten: 0 })
})

test('nothing more is read for a client who has gone', async () => {
  const { signal } = new AbortController()
  const signals: AbortSignal[] = []
  const principal = { kind: 'account', accountId: shop.accountId } as never
  const call = { principal, requestId: 'r' }
  const after = { id: 'evl', values: [start] }
  const endless: typeof context = {
    ...context,
    scanSlice: async (asked, given) => {
      signals.push(given)
      return { ...(await context.scanSlice(asked, given)), after }
    },
  }
  const input = { flow_id: flow, draft: { recipes: [recipe] } }
  const asked = { input, lists: 'then', fromMs: start, toMs: overMs } as const

  const prepared = await prepareBacktest(endless, call, asked)
  for await (const { scanned } of runBacktest(endless, call, { prepared, signal })) {
    expect(scanned).toBe(count)
    break
  }

  expect(signals).toEqual([signal])
})

test('what a managed rule alone asked then is not told by the draft of a rule that asks the same', async () => {
  vigil.setTime(overMs + minute)
  const operate = sendAs(vigil, operatorToken)
  const managed = { description: 'What customers read.', name: 'abroad' }
  const expression = 'phoneCountry(target.phone_number) == "FR"'
  const { body: made } = await operate('POST', '/v2/operator/managed/rules', {
    ...managed,
    expression,
  })
  const rule_id = String(made['id'])
  const abroad = await shop.recipe([{ rule_id, weight: 60 }])
  const asking = await shop.flow([abroad])
  note(await shop.evaluate(asking))
  const range = { from: at(overMs), to: at(overMs + 2 * minute) }
  const draft = (weight: number) => ({
    flow_id: asking,
    draft: {
      recipes: [abroad, { threshold: 50, rules: [{ expression: `!(${expression})`, weight }] }],
    },
  })

  const own = await backtest(draft(60), range)
  const unchanged = await backtest({ flow_id: asking, draft: { recipes: [abroad] } }, range)
  const alone = await backtest({ expression }, range)
  const now = await backtest({ expression }, { ...range, lists: 'now' })

  const verdicts = { answered: 'FLAG', draft: 'FLAG' }
  expect(unchanged.table).toMatchObject([verdicts])
  expect(own.table).toMatchObject([{ ...verdicts, draft: 'NOT_EVALUATED', unchanged: 'FLAG' }])
  expect(alone.table).toMatchObject([{ ...verdicts, draft: 'NOT_EVALUATED' }])
  expect(now.table).toMatchObject([verdicts])
})
