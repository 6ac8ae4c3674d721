/** Backtests as jobs: on record, one at a time, cancelled, and resumed to the report of an undisturbed one. */

import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ServiceContext } from '../../src/app/serviceContext.ts'
import { resumeBacktest, startBacktest } from '../../src/commands/analysis/backtests.ts'
import { expireEvidence } from '../../src/commands/audit/retention.ts'
import type { AccountPrincipal } from '../../src/domain/principal.ts'
import { decode } from '../../src/events/catalogue.ts'
import { prepareBacktestJob } from '../../src/queries/analysis/backtest/backtestJob.ts'
import type { ScanSliceRequest, SliceScanner } from '../../src/queries/analysis/scan/scanSlice.ts'
import type { BacktestPart, PreparedJob } from '../../src/state/analysis/backtestStreamType.ts'
import { crashedCopy } from '../support/crashedCopy.ts'
import { openTwoInstances } from '../support/openTwoInstances.ts'
import { type Customer, openCustomer, openVigil, sendAs, type Vigil } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'

type Body = Record<string, unknown>

const path = '/v2/watch/management/backtests'
const start = Date.UTC(2026, 10, 21, 9)
const minute = 60_000
const dayMs = 24 * 60 * minute
const count = 40
const overMs = start + dayMs
const at = (timeMs: number) => new Date(timeMs).toISOString()
const range = `from=${at(start - 200 * dayMs)}&to=${at(overMs)}`

/** The first half was evaluated long before the second. */
const timeOf = (index: number) => start + index * minute - (index < count / 2 ? 100 * dayMs : 0)
const numberOf = (index: number) => `+336110${String(10_000 + index)}`
const totalOf = (index: number) => String(((index * 7) % 10) * 100)

let vigil: Vigil
let shop: Customer
let rule = ''
let flow = ''
let recipe = ''
let nowMs = overMs
const ids: string[] = []

/** A rule that flags from 300 on, where the flow flags from 500 on. */
const input = () => ({
  flow_id: flow,
  draft: {
    recipes: [
      { threshold: 50, rules: [{ expression: 'int(signal.ext.total) >= 300', weight: 60 }] },
    ],
  },
})

beforeEach(async () => {
  vigil = await openVigil()
  shop = await openCustomer(vigil)
  rule = await shop.rule('int(signal.ext.total) >= 500')
  recipe = await shop.recipe([{ rule_id: rule, weight: 60 }])
  flow = await shop.flow([recipe])
  ids.length = 0
  for (let index = 0; index < count; index += 1) {
    vigil.setTime(timeOf(index))
    const target = { phone_number: numberOf(index) }
    const signals = { ext: { total: totalOf(index) } }
    const { body } = await shop.evaluate(flow, { target, signals })
    ids.push(String(body['id']))
  }
  nowMs = overMs
  vigil.setTime(nowMs)
  await projectedHead(vigil)
})

afterEach(() => vigil.close())

function callOf({ accountId, tokenId }: Customer) {
  const scopes = ['author', 'analyse'] as const
  const principal: AccountPrincipal = { kind: 'account', accountId, tokenId, scopes }
  return { principal, requestId: randomUUID() }
}

/** Scans seven evaluations at a time, each slice of which takes six seconds, and is then told of. */
function withSmallSlices(context: ServiceContext, onSlice: (slice: number) => Promise<void>) {
  let slices = 0
  const scanSlice: SliceScanner = async (asked, signal) => {
    const slice = await context.scanSlice({ ...asked, matchedMax: 7 }, signal)
    slices += 1
    nowMs += 6_000
    vigil.setTime(nowMs)
    await onSlice(slices)
    return slice
  }
  return { ...context, scanSlice }
}

const reports = (body: Body) => {
  const { id: _, state: __, started_at, reported_at, end, scanned, done, ...report } = body
  return report as Body & Record<'table' | 'changed', readonly Body[]>
}

/** Runs one in slices to its end, and answers it. */
async function backtest(onSlice: (slice: number) => Promise<void> = async () => undefined) {
  const { context } = vigil.service
  const call = callOf(shop)
  const sliced = withSmallSlices(context, onSlice)
  const times = { fromMs: start - 200 * dayMs, toMs: overMs }
  const prepared = await prepareBacktestJob(sliced, call, {
    ...{ input: input(), lists: 'then' as const },
    ...times,
  })
  const { value } = await startBacktest(sliced, call, prepared)
  await context.background.settled()
  return (await shop.send('GET', `${path}/${value.id}`)).body
}

/** What the draft and the flow of the beginning make of these evaluations, counted in the plainest way. */
function countPlainly(indexes: readonly number[]) {
  const verdicts = indexes.map((index) => {
    const [today, draft] = [500, 300].map((from) => Number(totalOf(index)) >= from)
    return { id: ids[index], today, draft }
  })
  const changed = verdicts.filter(({ today, draft }) => today !== draft)
  return {
    evaluations: indexes.length,
    by_draft: { to_flag: changed.length, to_pass: 0 },
    anyway: { to_flag: 0, to_pass: 0 },
    changed: changed.reverse().map(({ id }) => expect.objectContaining({ id, draft: 'FLAG' })),
    changed_more: 0,
  }
}

const indexes = (keep: (index: number) => boolean) =>
  Array.from({ length: count }, (_, index) => index).filter(keep)

test('it is answered with its id, and its report stays on record', async () => {
  const started = await shop.send('POST', `${path}?${range}`, input())
  await vigil.service.context.background.settled()
  vigil = await vigil.restart()
  const send = sendAs(vigil, shop.token)

  const { body } = await send('GET', `${path}/${started.body['id']}`)
  const listed = await send('GET', path)

  expect(started.status).toBe(202)
  expect(started.body).toMatchObject({ state: 'RUNNING', tried: 'draft', scanned: 0, done: 0 })
  expect(body).toMatchObject({ state: 'DONE', scanned: count, done: 1, forgotten: 0 })
  expect(body).toMatchObject(countPlainly(indexes(() => true)))
  expect(listed.body['backtests']).toMatchObject([{ id: body['id'], state: 'DONE', flow_id: flow }])
  expect(JSON.stringify(listed.body)).not.toContain('"changed"')
})

// the folder's log is copied for it
test.skipIf(process.env['TEST_LOG'])(
  'killed in its middle it is interrupted, and goes on to the report of one that was not',
  async () => {
    let folder = ''
    const undisturbed = await backtest(async (slice) => {
      if (slice === 4) folder = crashedCopy(vigil.folder)
    })
    const killed = await openVigil({ folder })
    onTestFinished(async () => {
      await killed.stop()
      rmSync(folder, { recursive: true, force: true })
    })
    killed.setTime(nowMs + 61_000)
    const send = sendAs(killed, shop.token)
    const asked = `${path}/${undisturbed['id']}`
    // recorded after the start, and of a time that has not been looked at yet
    const target = { phone_number: numberOf(1) }
    killed.setTime(timeOf(3) + 1)
    await send('POST', '/v2/watch/eval', {
      flow_id: flow,
      target,
      signals: { ext: { total: '900' } },
    })
    await projectedHead(killed)
    killed.setTime(nowMs + 61_000)

    const interrupted = (await send('GET', asked)).body
    const resumed = await send('POST', `${asked}/resume`, input())
    await killed.service.context.background.settled()

    expect(interrupted).toMatchObject({ state: 'INTERRUPTED', scanned: 21, evaluations: 21 })
    expect(resumed.status, resumed.text).toBe(202)
    expect(resumed.body).toMatchObject({ state: 'RUNNING', scanned: 21 })
    const { body } = await send('GET', asked)
    expect(body).toMatchObject({ state: 'DONE', scanned: count })
    expect(reports(body)).toEqual(reports(undisturbed))
    expect(body).toMatchObject(countPlainly(indexes(() => true)))
  },
)

test('erasure, retention and a publish in its middle: each evaluation counts once, none that is forgotten by then', async () => {
  const { context } = vigil.service
  const erase = (index: number) =>
    shop.send('POST', '/v2/watch/subjects/erase', { phone_number: numberOf(index) })

  const found = await backtest(async (slice) => {
    if (slice === 1) {
      // judged already, and not yet
      await erase(count - 1)
      await erase(25)
      const changed = { name: 'a rule', expression: 'signal.ext.total == "0"' }
      const { status } = await shop.send('PUT', `/v2/watch/management/rules/${rule}`, changed)
      expect(status).toBe(200)
    }
    if (slice === 2) {
      await shop.send('PUT', '/v2/watch/retention', { evaluations_days: 1 })
      await expireEvidence(context, new AbortController().signal)
    }
  })

  const judged = indexes((index) => index >= count / 2 && index !== 25)
  expect(found).toMatchObject({ state: 'DONE', scanned: count, forgotten: count - judged.length })
  expect(found).toMatchObject(countPlainly(judged))
})

test('every evaluation is judged also by a process that hardly ever runs', async () => {
  let passedMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    passedMs += 1_000
    return passedMs
  })
  onTestFinished(() => clock.mockRestore())

  expect(await backtest()).toMatchObject({ state: 'DONE', scanned: count, evaluations: count })
})

describe('one that did not reach its end', () => {
  const begin = async () => {
    const found = shop.send('POST', `${path}?${range}`, input())
    const id = String((await found).body['id'])
    await vigil.service.context.background.settled()
    return id
  }
  /** Ended before it has judged anything. */
  const cancelled = async () => {
    const held = heldRun([])
    const prepared = { ...(await prepare()), run: held.run }
    const { value } = await startBacktest(vigil.service.context, callOf(shop), prepared)
    await shop.send('POST', `${path}/${value.id}/cancel`)
    await held.release()
    return value.id
  }
  const prepare = () =>
    prepareBacktestJob(vigil.service.context, callOf(shop), {
      ...{ input: input(), lists: 'then' as const },
      ...{ fromMs: start - 200 * dayMs, toMs: overMs },
    })

  test('goes on over its own range of time', async () => {
    const id = await cancelled()

    const { status } = await shop.send('POST', `${path}/${id}/resume`, input())
    await vigil.service.context.background.settled()

    expect(status).toBe(202)
    const { body } = await shop.send('GET', `${path}/${id}`)
    expect(body).toMatchObject({ state: 'DONE', evaluations: count })
  })

  test('does not go on with anything else than it was started with', async () => {
    const id = await cancelled()
    const resume = (query: string, body: object) =>
      shop.send('POST', `${path}/${id}/resume${query}`, body)

    const draft = await resume('', { expression: 'signal.ext.total == "0"' })
    const where = await resume('?where=verdict%20%3D%20FLAG', input())
    const lists = await resume('?lists=now', input())
    const changed = { name: 'a rule', expression: 'signal.ext.total == "0"' }
    await shop.send('PUT', `/v2/watch/management/rules/${rule}`, changed)
    const published = await resume('', input())

    for (const { status, body } of [draft, where, lists, published]) {
      expect(status).toBe(409)
      expect(body['message']).toContain('start a new one')
    }
    const { body } = await shop.send('GET', `${path}/${id}`)
    expect(body).toMatchObject({ state: 'CANCELLED', scanned: 0 })
  })

  test('is not another account’s to see, cancel or resume; and one that is done stays as it is', async () => {
    const id = await begin()
    const stranger = await openCustomer(vigil)
    const before = (await shop.send('GET', `${path}/${id}`)).body

    const foreign = [
      await stranger.send('GET', `${path}/${id}`),
      await stranger.send('POST', `${path}/${id}/cancel`),
      await stranger.send('POST', `${path}/${id}/resume`, { expression: '1 == 1' }),
    ]
    const resumed = await shop.send('POST', `${path}/${id}/resume`, input())
    const other = await shop.send('POST', `${path}/${id}/resume?where=verdict%3DFLAG`, input())
    const cancelledDone = await shop.send('POST', `${path}/${id}/cancel`)

    expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404])
    expect((await stranger.send('GET', path)).body).toEqual({ backtests: [] })
    expect(resumed.body).toEqual(before)
    expect(other.status).toBe(409)
    expect(cancelledDone.body).toEqual(before)
  })
})

test('neither the draft nor the conditions are on record', async () => {
  const before = await vigil.service.context.events.head()
  const where = 'signal.ext.name != "Ann of Where" and target.phone_number != "+33611099999"'
  const expression = 'signal.ext.name == "Ann of Draft"'
  const query = `${range}&where=${encodeURIComponent(where)}`

  const started = await shop.send('POST', `${path}?${query}`, { expression })
  await vigil.service.context.background.settled()

  expect(started.status, started.text).toBe(202)
  const recorded = await vigil.service.context.events.readAll({ after: before, limit: 1_000 })
  expect(recorded.map(({ type }) => type)).toContain('BacktestEnded')
  expect(JSON.stringify(recorded)).not.toMatch(/Ann of|33611099999/)
})

/** What comes of slices that the test has made up, once it says so. */
function heldRun(parts: readonly BacktestPart[]) {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  return {
    release: async () => {
      release()
      await vigil.service.context.background.settled()
    },
    run: async function* () {
      await held
      yield* parts
    },
  }
}

function partOf(changes: number, time_ms: number): BacktestPart {
  const verdicts = { answered: 'PASS', draft: 'FLAG' } as const
  const classes = { fraud: 0, legitimate: 0, unlabelled: changes }
  return {
    rows: [{ ...verdicts, evaluations: changes, partial: 0, ...classes }],
    changed: Array.from({ length: changes }, (_, at) => ({
      ...{ id: `evl_${time_ms}_${at}`, ...verdicts },
    })),
    ...{ changed_count: changes, forgotten: 0, scanned: changes },
    after: { evaluation_id: `evl_${time_ms}`, time_ms },
  }
}

const facts = { tried: 'rule', lists: 'then', from_ms: 0, to_ms: 100 } as const
const prepared = (run: PreparedJob['run']): PreparedJob => ({
  ...{ asked: {}, facts, order: 'the same', run },
})

test('it names the first thousand that changed and counts all, in events of bounded size', async () => {
  const { context } = vigil.service
  const before = await context.events.head()
  const run = async function* () {
    for (const time_ms of [90, 80, 70]) {
      nowMs += 6_000
      vigil.setTime(nowMs)
      yield partOf(600, time_ms)
    }
  }

  const { value: started } = await startBacktest(context, callOf(shop), prepared(run))
  await context.background.settled()

  const { body } = await shop.send('GET', `${path}/${started.id}`)
  expect(body).toMatchObject({ evaluations: 1_800, changed_more: 800 })
  const named = body['changed'] as readonly { readonly id: string }[]
  expect(named.map(({ id }) => id)).toEqual(
    [...partOf(600, 90).changed, ...partOf(400, 80).changed].map(({ id }) => id),
  )
  const recorded = await context.events.readAll({ after: before, limit: 100 })
  const advanced = recorded.map((one) => decode(one).event)
  expect(
    advanced.flatMap((event) =>
      event.type === 'BacktestAdvanced' ? event.data.changed.length : [],
    ),
  ).toEqual([600, 400, 0])
})

test('one of which nothing was heard for a minute is gone on with; what it still finds does not count', async () => {
  const { context } = vigil.service
  const lost = heldRun([partOf(5, 90)])
  const found = heldRun([partOf(3, 90), partOf(4, 80)])
  const { value: job } = await startBacktest(context, callOf(shop), prepared(lost.run))
  vigil.setTime(nowMs + 61_000)

  const shown = (await shop.send('GET', `${path}/${job.id}`)).body
  const again = { id: job.id, prepared: prepared(found.run) }
  const { value: resumed } = await resumeBacktest(context, callOf(shop), again)
  void lost.release()
  await found.release()

  expect(shown['state']).toBe('INTERRUPTED')
  expect(resumed).toMatchObject({ id: job.id, state: 'RUNNING' })
  const { body } = await shop.send('GET', `${path}/${job.id}`)
  expect(body).toMatchObject({ state: 'DONE', scanned: 7, evaluations: 7 })
})

test('it goes on in the range of time, behind the evaluation and up to the position that are on record', async () => {
  const { context } = vigil.service
  const asked: unknown[] = []
  const run: PreparedJob['run'] = async function* (given) {
    asked.push(given)
    yield partOf(1, 90 - asked.length)
    if (asked.length === 1) throw new Error('the disk is gone')
  }
  const { value: job } = await startBacktest(context, callOf(shop), prepared(run))
  await context.background.settled()
  const failed = (await shop.send('GET', `${path}/${job.id}`)).body

  await resumeBacktest(context, callOf(shop), { id: job.id, prepared: prepared(run) })
  await context.background.settled()

  expect(failed).toMatchObject({ state: 'FAILED', scanned: 1, done: 0.11 })
  expect(failed['reason']).toContain('unexpected error')
  expect(asked).toMatchObject([
    { from_ms: 0, to_ms: 100, end: Number(job.end) },
    { from_ms: 0, to_ms: 100, end: Number(job.end), after: { time_ms: 89 } },
  ])
  const { body } = await shop.send('GET', `${path}/${job.id}`)
  expect(body).toMatchObject({ state: 'DONE', scanned: 2 })
})

test('the end of the process interrupts it, also while it reports', async () => {
  const closing = new AbortController()
  const context = { ...vigil.service.context, closing: closing.signal }
  const run = async function* () {
    for (let time_ms = 90; ; time_ms -= 1) {
      nowMs += 6_000
      vigil.setTime(nowMs)
      yield partOf(1, time_ms)
      closing.abort()
    }
  }

  const { value: started } = await startBacktest(context, callOf(shop), prepared(run))
  await context.background.settled()

  const { body } = await shop.send('GET', `${path}/${started.id}`)
  expect(body).toMatchObject({ state: 'INTERRUPTED', scanned: 2 })
})

test('one runs at a time; any instance shows and cancels it, and it stops', async () => {
  const { a, b } = await openTwoInstances()
  const customer = await openCustomer(a)
  const send = (method: string, asked: string, body?: object) =>
    b.door.request<Body>(method, asked, { token: customer.token, ...(body && { body }) })
  const held = heldRun([partOf(5, 90), partOf(5, 80)])
  const { value: running } = await startBacktest(a.context, callOf(customer), prepared(held.run))

  const second = await send('POST', path, { expression: '1 == 1' })
  const shown = await send('GET', `${path}/${running.id}`)
  const cancelled = await send('POST', `${path}/${running.id}/cancel`)
  await held.release()
  await a.context.background.settled()

  expect(second.status).toBe(409)
  expect(second.body['message']).toContain(running.id)
  expect(shown.body).toMatchObject({ id: running.id, state: 'RUNNING' })
  expect(cancelled.body).toMatchObject({ state: 'CANCELLED', scanned: 0 })
  expect((await send('GET', `${path}/${running.id}`)).body).toEqual(cancelled.body)
})

test('a question waits for one slice of all jobs at the most', async () => {
  const { scanSlice } = vigil.service.context
  const { signal } = new AbortController()
  const whole = { account: shop.accountId, fromMs: 0, toMs: overMs, order: 'newest' } as const
  const asked = { ...whole, where: [], labelClasses: [], fold: { kind: 'missing' } } as const
  const answered: string[] = []
  const scan = async (name: string, of: Pick<ScanSliceRequest, 'isOfJob'> = {}) => {
    await scanSlice({ ...asked, ...of }, signal)
    answered.push(name)
  }

  const jobs = ['first', 'second', 'third'].map((name) => scan(name, { isOfJob: true }))
  await Promise.all([...jobs, scan('question')])

  expect(answered.filter((name) => name !== 'first')).toEqual(['question', 'second', 'third'])
})
