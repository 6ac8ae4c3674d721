/** The report on rules against figures that are computed from the log by plain counting. */

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Call } from '../../src/domain/call.ts'
import { decode } from '../../src/events/catalogue.ts'
import { type RulesReport, reportRules } from '../../src/queries/analysis/rulesReport.ts'
import { draws } from '../support/draws.ts'
import { openShopOfFile } from '../support/openOfFile.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { seedOfRun } from '../support/seedOfRun.ts'

const { vigil, shop } = await openShopOfFile()
const start = Date.UTC(2026, 10, 21, 9)

type Body = Record<string, unknown>
interface Member {
  readonly rule_id: string
  readonly weight: number
  readonly preempts?: 'FLAG' | 'PASS'
}
interface Recipe {
  readonly id: string
  readonly status: 'LIVE' | 'SHADOW'
  readonly threshold: number
  readonly rules: readonly Member[]
}
/** What the log says of one recipe of one evaluation, and what was reported of the evaluation. */
interface Ran {
  readonly evaluation: string
  readonly flow: string
  readonly recipe: Recipe
  readonly verdict: string
  readonly outcomes: string
  readonly skipped: string
  readonly names: readonly (readonly string[])[]
  readonly label: 'fraud' | 'legitimate' | 'unlabelled'
  /** The version of each rule then. */
  readonly versions: ReadonlyMap<string, string>
}

const names = new Map<string, string>()
const ran: Ran[] = []
let flows: readonly string[] = []

const rule = async (name: string, expression: string) => {
  const id = await shop.rule(expression, name)
  names.set(id, name)
  return id
}
const recipe = async (rules: readonly Member[], change: Partial<Recipe> = {}): Promise<Recipe> => {
  const { status = 'LIVE', threshold = 50 } = change
  return { id: await shop.recipe(rules, { status, threshold }), status, threshold, rules }
}
const versionOf = async (id: string) =>
  String((await shop.send('GET', `/v2/watch/management/rules/${id}`)).body['version_id'])

const sent = fc.record(
  {
    total: fc.constantFrom('20', '600', '950', '950', 'x'),
    minutes: fc.constantFrom('3', '90'),
    country: fc.constantFrom('FR', 'DE', 'XX'),
    trusted: fc.constantFrom('yes', 'no', 'no'),
  },
  { requiredKeys: [] },
)
const drawn = fc.record({
  ext: sent,
  flow: fc.nat({ max: 2 }),
  label: fc.constantFrom('fraud' as const, 'legitimate' as const, 'unlabelled' as const),
})

async function author(): Promise<{ readonly large: string; readonly recipes: readonly Recipe[] }> {
  const trusted = await rule('trusted', 'signal.ext.trusted == "yes"')
  const large = await rule('large', 'double(signal.ext.total) > 500.0')
  const huge = await rule('huge', 'double(signal.ext.total) > 900.0')
  const quick = await rule('quick', 'int(signal.ext.minutes) < 10 && signal.ext.country != ""')
  const french = await rule('french', 'signal.ext.country == "FR"')
  const always = await rule('always', '1 == 1')
  const never = await rule('never', '1 == 2')
  const foreign = await rule('foreign', 'signal.ext.country == "XX"')
  const main = await recipe([
    { rule_id: trusted, weight: 0, preempts: 'PASS' },
    { rule_id: large, weight: 60 },
    { rule_id: quick, weight: 40 },
    { rule_id: french, weight: -20 },
    { rule_id: always, weight: 5 },
    { rule_id: never, weight: 10 },
  ])
  const trial = await recipe(
    [
      { rule_id: quick, weight: 30 },
      { rule_id: foreign, weight: 1, preempts: 'FLAG' },
      { rule_id: large, weight: 30 },
      { rule_id: trusted, weight: 9, preempts: 'PASS' },
    ],
    { status: 'SHADOW' },
  )
  const small = await recipe(
    [
      { rule_id: huge, weight: 30 },
      { rule_id: large, weight: 30 },
    ],
    { threshold: 55 },
  )
  const ofFlows = [[main, trial], [small], [main, small, trial]]
  flows = await Promise.all(ofFlows.map((some) => shop.flow(some.map(({ id }) => id))))
  return { large, recipes: [main, trial, small] }
}

beforeAll(async () => {
  vigil.setTime(start)
  const { large, recipes: authored } = await author()
  const recipes = new Map(authored.map((one) => [one.id, one]))
  const drawnAll = fc.sample(drawn, { numRuns: draws(900), seed: seedOfRun })
  const labels = new Map<string, Ran['label']>()
  const versions = new Map<string, ReadonlyMap<string, string>>()
  const readVersions = async () => {
    const ids = [...names.keys()]
    return new Map(await Promise.all(ids.map(async (id) => [id, await versionOf(id)] as const)))
  }
  let current = await readVersions()
  for (const [at, { ext, flow, label }] of drawnAll.entries()) {
    vigil.setTime(start + at * 60_000)
    if (at === Math.floor(drawnAll.length / 2)) {
      const content = { name: 'large', expression: 'double(signal.ext.total) >= 950.0' }
      await shop.send('PUT', `/v2/watch/management/rules/${large}`, content)
      current = await readVersions()
    }
    const { body } = await shop.evaluate(flows[flow] ?? '', { signals: { ext } })
    const id = String(body['id'])
    labels.set(id, label)
    versions.set(id, current)
    if (label !== 'unlabelled') await report(id, label)
  }
  vigil.setTime(start + drawnAll.length * 60_000)
  await projectedHead(vigil)
  await readLog({ recipes, labels, versions })
})

interface Known {
  readonly recipes: ReadonlyMap<string, Recipe>
  /** By evaluation. */
  readonly labels: ReadonlyMap<string, Ran['label']>
  readonly versions: ReadonlyMap<string, Ran['versions']>
}

async function readLog({ recipes, labels, versions }: Known): Promise<void> {
  const log = await vigil.service.context.events.readAll({ after: 0, limit: 10_000 })
  for (const { event } of log.map(decode)) {
    if (event.type !== 'FlowEvaluated') continue
    const { evaluation_id, flow_id, missing = [] } = event.data
    const of = {
      ...{ evaluation: evaluation_id, flow: flow_id },
      label: labels.get(evaluation_id) ?? expect.fail(evaluation_id),
      versions: versions.get(evaluation_id) ?? new Map<string, string>(),
    }
    for (const recorded of event.data.recipes) {
      const { verdict, outcomes, skipped = '', blocked_by = [] } = recorded
      ran.push({
        ...{ ...of, verdict, outcomes, skipped },
        recipe: recipes.get(recorded.recipe_id) ?? expect.fail(recorded.recipe_id),
        names: blocked_by.map((all) => all.map((index) => missing[index]?.[0] ?? '')),
      })
    }
  }
}

async function report(evaluation_id: string, label: string): Promise<void> {
  const target = { type: 'phone_number', value: '+33612345678' }
  const event = { target, evaluation_id, label, confidence: 'maximum' }
  const { status, text } = await shop.send('POST', '/v2/watch/event', { events: [event] })
  if (status !== 200) throw new Error(text)
}

const ask = async (query: object = {}) => {
  const asked = new URLSearchParams({ from: new Date(start).toISOString(), ...query })
  const { status, body, text } = await shop.send('GET', `/v2/watch/rules/report?${asked}`)
  if (status !== 200) throw new Error(text)
  return body as unknown as RulesReport
}

interface Counted {
  readonly letter: string
  readonly label: Ran['label']
  readonly missing: ReadonlySet<string>
}

/** The verdict of a recipe from the letters of all its rules, those that ran behind an overriding one included. */
function decide({ threshold }: Recipe, members: readonly (readonly [Member, string])[]): string {
  let score = 0
  for (const [{ weight, preempts }, letter] of members) {
    if (letter !== 'T') continue
    if (preempts) return preempts
    score += weight
  }
  return Math.min(100, Math.max(0, score)) >= threshold ? 'FLAG' : 'PASS'
}

function lettersOf({ outcomes, skipped }: Ran): readonly string[] {
  const rest = [...skipped]
  return [...outcomes].map((letter) => (letter === 'S' ? (rest.shift() ?? '?') : letter))
}

const count = (all: readonly { readonly label: Ran['label'] }[]) => ({
  fraud: all.filter(({ label }) => label === 'fraud').length,
  legitimate: all.filter(({ label }) => label === 'legitimate').length,
  unlabelled: all.filter(({ label }) => label === 'unlabelled').length,
})

/** Rules by id and version, with their evaluations, in recipes of the status. */
function expectedRows(looked: readonly Ran[], labelClass: 'fraud' | 'legitimate') {
  const other = labelClass === 'fraud' ? 'legitimate' : 'fraud'
  const keys = new Map<string, Pick<Member, 'rule_id'> & { version: string; status: string }>()
  for (const { recipe: of, versions } of looked) {
    for (const { rule_id } of of.rules) {
      const version = versions.get(rule_id) ?? ''
      keys.set(`${rule_id} ${version} ${of.status}`, { rule_id, version, status: of.status })
    }
  }
  return [...keys.values()].map(({ rule_id, version, status }) => {
    const own = looked.filter(
      (one) => one.recipe.status === status && one.versions.get(rule_id) === version,
    )
    const evaluations = [...new Set(own.map((one) => one.evaluation))].flatMap((id) =>
      countOne(
        rule_id,
        own.filter((one) => one.evaluation === id),
      ),
    )
    const having = (letter: string) => evaluations.filter((one) => one.letter === letter)
    const [fired, silent] = [count(having('T')), count(having('N'))]
    const labelled = fired[labelClass] + fired[other]
    const ofClass = fired[labelClass] + silent[labelClass]
    const ran = ofClass + fired[other] + silent[other]
    const alone = own.filter((one) => {
      const letters = lettersOf(one)
      const members = one.recipe.rules.map((member, at) => [member, letters[at] ?? ''] as const)
      expect(decide(one.recipe, members)).toBe(one.verdict)
      const others = members.filter(([member]) => member.rule_id !== rule_id)
      return decide(one.recipe, others) !== one.verdict
    })
    const missing = new Map<string, number>()
    for (const name of having('M').flatMap((one) => [...one.missing])) {
      missing.set(name, (missing.get(name) ?? 0) + 1)
    }
    return {
      ...{ rule_id, type: 'CUSTOM', name: names.get(rule_id), version_id: version, status },
      fires: firesOf(having('T').length, having('N').length),
      ...{ fired, not_fired: silent, not_evaluated: having('M').length },
      missing: Object.fromEntries(missing),
      ...{ skipped: having('S').length, unavailable: having('U').length },
      precision: labelled === 0 ? null : { value: fired[labelClass] / labelled, of: labelled },
      recall: ofClass === 0 ? null : { value: fired[labelClass] / ofClass, of: ofClass },
      lift:
        labelled === 0 || ofClass === 0
          ? null
          : { value: fired[labelClass] / labelled / (ofClass / ran), of: labelled },
      false_positives: fired[other],
      alone: count(alone),
      contained_in: expectedContainer(looked, { rule_id, version, status }),
    }
  })
}

function firesOf(fired: number, silent: number): string | null {
  if (fired + silent === 0) return null
  if (fired === 0) return 'never'
  return silent === 0 ? 'always' : 'sometimes'
}

/** What became of the rule in one evaluation. */
function countOne(ruleId: string, recipes: readonly Ran[]): readonly Counted[] {
  const found = recipes.flatMap(({ recipe: of, outcomes, names: all, label }) => {
    const at = of.rules.findIndex(({ rule_id }) => rule_id === ruleId)
    if (at < 0) return []
    const letter = outcomes.charAt(at)
    const waiting = [...outcomes.slice(0, at)].filter((one) => one === 'M').length
    return [{ letter, label, missing: new Set(letter === 'M' ? all[waiting] : []) }]
  })
  return ['T', 'N', 'M', 'U', 'S']
    .flatMap((letter) => found.filter((one) => one.letter === letter))
    .slice(0, 1)
}

function firedIn(looked: readonly Ran[], statuses: readonly string[]) {
  const fired = new Map<string, Set<string>>()
  const silent = new Set<string>()
  for (const { evaluation, recipe: of, outcomes } of looked) {
    if (!statuses.includes(of.status)) continue
    for (const [at, { rule_id }] of of.rules.entries()) {
      if (outcomes[at] === 'N') silent.add(rule_id)
      if (outcomes[at] !== 'T') continue
      fired.set(rule_id, (fired.get(rule_id) ?? new Set()).add(evaluation))
    }
  }
  return { fired, silent }
}

/** The rule that is named: of those that fired whenever it did, and not always, the one that fired least. */
function expectedContainer(
  looked: readonly Ran[],
  { rule_id, version, status }: { rule_id: string; version: string; status: string },
): string | undefined {
  const own = looked.filter((one) => one.versions.get(rule_id) === version)
  const mine = firedIn(own, [status]).fired.get(rule_id) ?? new Set()
  const statuses = status === 'LIVE' ? ['LIVE'] : ['LIVE', 'SHADOW']
  const { fired, silent } = firedIn(looked, statuses)
  const timesIn = (one: string, id: string) => firedIn(looked, [one]).fired.get(id)?.size ?? 0
  if (mine.size < 5) return undefined
  return [...fired]
    .filter(([id, all]) => id !== rule_id && silent.has(id) && [...mine].every((e) => all.has(e)))
    .map(([id]) => ({ id, times: statuses.map((one) => timesIn(one, id)).reduce((a, b) => a + b) }))
    .toSorted((a, b) => a.times - b.times || (a.id < b.id ? -1 : 1))[0]?.id
}

/** The report without the ends of its intervals, in the form of what is expected. */
function plain({ rules }: RulesReport) {
  const share = (one: RulesReport['rules'][number]['precision']) =>
    one && { value: one.value, of: one.of }
  return rules.map(({ contained_in, missing, precision, recall, lift, ...row }) => ({
    ...row,
    ...{ precision: share(precision), recall: share(recall), lift: share(lift) },
    missing: Object.fromEntries(missing.map(({ name, evaluations }) => [name, evaluations])),
    contained_in: contained_in?.rule_id,
  }))
}

function expectSame(found: RulesReport, looked: readonly Ran[]): void {
  const expected = expectedRows(looked, found.label_class)
  const rows = plain(found)
  const byRow = (one: Pick<(typeof rows)[number], 'rule_id' | 'version_id' | 'status'>) =>
    `${one.rule_id} ${one.version_id} ${one.status}`
  const sorted = <Row extends Parameters<typeof byRow>[0]>(all: readonly Row[]) =>
    all.toSorted((a, b) => (byRow(a) < byRow(b) ? -1 : 1))
  expect(sorted(rows)).toEqual(sorted(expected as unknown as typeof rows))
  expect(found.evaluations).toEqual(
    count([...new Map(looked.map((one) => [one.evaluation, one])).values()]),
  )
  expect(found.truncated).toBe(false)
}

describe('the report on rules', () => {
  test('has for each rule, version and status what plain counting of the log gives', async () => {
    const found = await ask()

    expectSame(found, ran)
    const live = found.rules.filter(({ status }) => status === 'LIVE')
    expect(live.filter(({ name }) => name === 'large')).toHaveLength(2)
    expect(live.find(({ name }) => name === 'always')?.fires).toBe('always')
    expect(live.find(({ name }) => name === 'never')?.fires).toBe('never')
    expect(found.rules.some(({ alone }) => alone.fraud > 0)).toBe(true)
  })

  test('is of one flow, of the conditions, and of the other class when asked so', async () => {
    const [, small = '', both = ''] = flows

    expectSame(
      await ask({ flow_id: small }),
      ran.filter(({ flow }) => flow === small),
    )
    expectSame(
      await ask({ flow_id: both, where: 'class = fraud', label_class: 'legitimate' }),
      ran.filter(({ flow, label }) => flow === both && label === 'fraud'),
    )
  })

  test('has Wilson intervals of 95%, each end the share that a test would just not refuse', async () => {
    const { rules } = await ask()
    const shares = rules.flatMap(({ precision, recall }) => [precision ?? [], recall ?? []].flat())

    expect(shares.length).toBeGreaterThan(4)
    for (const { value, low, high, of } of shares) {
      expect([low >= 0, low <= value, value <= high, high <= 1]).toEqual([true, true, true, true])
      for (const end of [low, high]) {
        expect((value - end) ** 2).toBeCloseTo((1.959963984540054 ** 2 * end * (1 - end)) / of, 10)
      }
    }
    for (const { lift, precision } of rules) {
      if (lift === null || precision === null || precision.value === 0) continue
      expect(lift.low / lift.value).toBeCloseTo(precision.low / precision.value, 10)
      expect(lift.high / lift.value).toBeCloseTo(precision.high / precision.value, 10)
    }
  })

  test('of no evaluations has no rules', async () => {
    const to = new Date(start).toISOString()
    const found = await ask({ from: new Date(start - 1).toISOString(), to })

    expect([found.rules, found.evaluations]).toEqual([
      [],
      { fraud: 0, legitimate: 0, unlabelled: 0 },
    ])
  })

  test('as lines says how far it is, and the same at its end', async () => {
    const whole = await ask({ to: new Date(start + 1e9).toISOString() })
    const query = new URLSearchParams({
      ...{ from: whole.from, to: whole.to, format: 'ndjson' },
    })
    const { text } = await shop.send('GET', `/v2/watch/rules/report?${query}`)

    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Body)
    const evaluations = new Set(ran.map(({ evaluation }) => evaluation)).size
    expect(lines.at(-1)).toEqual({ result: whole })
    expect(lines.at(-2)).toEqual({
      progress: { scanned: evaluations, matched: evaluations, done: 1 },
    })
  })

  test('is the same in slices of any size', async () => {
    const whole = await ask({ to: new Date(start + 1e9).toISOString() })
    const { context } = vigil.service
    for (const matchedMax of [1, 7, 40]) {
      const { steps, sum } = await reportRules(
        {
          ...context,
          scanSlice: (asked, signal) => context.scanSlice({ ...asked, matchedMax }, signal),
        },
        { principal: { accountId: shop.accountId } } as Call,
        {
          ...{ fromMs: start, toMs: start + 1e9, labelClass: 'fraud' as const },
          signal: new AbortController().signal,
        },
      )
      for await (const { folded } of steps) sum.add(folded)
      expect(sum.result()).toEqual(whole)
    }
  })

  test('is refused for conditions and a class that there are not', async () => {
    const answers = await Promise.all(
      ['where=colour+%3D+red', 'label_class=guilty', 'flow_id=x'].map((query) =>
        shop.send('GET', `/v2/watch/rules/report?${query}`),
      ),
    )

    expect(
      answers.map(({ status, body }) => [
        status,
        (body['details'] as readonly Body[]).map(({ path }) => path),
      ]),
    ).toEqual([
      [400, ['where']],
      [400, ['label_class']],
      [400, ['flow_id']],
    ])
  })
})
