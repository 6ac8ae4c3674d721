import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { Failure } from '../../src/domain/failure.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'
import { familyOf, readSamples, type Sample, sampleOf } from '../metrics/exposition.ts'
import { openVigilOfFile } from '../support/openOfFile.ts'
import { openCustomer, operatorToken } from '../support/openVigil.ts'
import { readPromql, type Selector } from './promql.ts'

interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

/** A rule that keeps the answer of an expression under a name. */
interface RecordingRule {
  readonly record: string
  readonly expr: string
}

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly datasource?: { readonly type: string; readonly uid: string }
  readonly gridPos: { readonly x: number; readonly w: number }
  readonly targets?: readonly {
    readonly expr: string
    readonly legendFormat: string
    readonly datasource: { readonly uid: string }
  }[]
}

interface Dashboard {
  readonly title: string
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string }[]
  }
}

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

const dashboard = JSON.parse(read('ops/grafana-dashboard.json')) as Dashboard
const alerts = parse(read('ops/alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly (AlertRule | RecordingRule)[] }[]
}
const allRules = alerts.groups.flatMap((group) => group.rules)
const rules = allRules.filter((rule) => 'alert' in rule)
const recordings = allRules.filter((rule) => 'record' in rule)
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? [])

/** What Prometheus itself adds to every series. */
const labelsOfPrometheus = ['job', 'instance']

let samples: readonly Sample[]
let text: string
let accountId: string
let flowId: string

const vigil = await openVigilOfFile({ metrics: openMetrics({ ofProcess: true }) })

beforeAll(async () => {
  const customer = await openCustomer(vigil)
  const flow = await customer.flowOf('signal.ip == "192.0.2.7"', 'signal.ext.a == "b"', '1 == 1')
  await customer.evaluate(flow, { unknown: 1 })
  accountId = customer.accountId
  flowId = flow
  const received = await vigil.door.request('GET', '/metrics', { token: operatorToken })
  text = received.text
  samples = readSamples(text)
})

/** What stands in an expression and is not exported: names, labels, and values that a matcher asks for. */
function unknownIn(expression: string): string[] {
  const { selectors, groupedBy } = readPromql(
    expression.replaceAll('$__rate_interval', '5m').replaceAll('"$job"', '"vigil"'),
  )
  const known = new Set(selectors.flatMap(({ metric }) => labelsOf(metric)))
  return [
    ...selectors.flatMap(unknownInSelector),
    ...groupedBy.filter((label) => !known.has(label)),
  ]
}

function labelsOf(metric: string): readonly string[] {
  const recording = recordings.find(({ record }) => record === metric)
  if (recording) {
    const { selectors, groupedBy } = readPromql(recording.expr)
    return groupedBy.length > 0 ? groupedBy : selectors.flatMap((one) => labelsOf(one.metric))
  }
  const own = samples.filter(({ name }) => name === metric)
  return [...labelsOfPrometheus, ...own.flatMap(({ labels }) => Object.keys(labels))]
}

function unknownInSelector({ metric, matchers }: Selector): readonly string[] {
  // a series that Prometheus makes itself
  if (metric === 'up' || recordings.some(({ record }) => record === metric)) return []
  const series = samples.filter(({ name }) => name === metric)
  if (series.length === 0) return [metric]
  return matchers
    .filter(({ label, operator, value }) => {
      if (!labelsOf(metric).includes(label)) return true
      const fixed = operator === '=' && !labelsOfPrometheus.includes(label)
      return fixed && !series.some(({ labels }) => labels[label] === value)
    })
    .map(({ label, value }) => `${metric}{${label}="${value}"}`)
}

describe('a running service', () => {
  test('counts what it did', () => {
    const rule = (outcome: string) => sampleOf(text, 'vigil_rule_results_total', { outcome })
    const waited = (signal: string) => sampleOf(text, 'vigil_rules_not_evaluated_total', { signal })

    expect(sampleOf(text, 'vigil_evaluations_total', { verdict: 'FLAG' })).toBe(1)
    expect([rule('TRIGGERED'), rule('NOT_EVALUATED'), rule('NOT_TRIGGERED')]).toEqual([1, 2, 0])
    expect([waited('signal.ip'), waited('signal.ext')]).toEqual([1, 1])
    expect(sampleOf(text, 'vigil_events_appended_total')).toBeGreaterThan(5)
    expect(sampleOf(text, 'vigil_append_batch_appends_count')).toBeGreaterThan(5)
    expect(sampleOf(text, 'vigil_store_up', { store: 'events' })).toBe(1)
    expect(sampleOf(text, 'vigil_projection_parked_events', { projection: 'flows' })).toBe(0)
    expect(sampleOf(text, 'vigil_sealing_keys_ready')).toBeGreaterThan(100)
  })

  test('shows nothing of its callers but whose flows gave verdicts, and which account sends unknown fields', () => {
    const unknown = `vigil_unknown_fields_total{account="${accountId}"} 1`
    const verdicts = (verdict: string) =>
      `vigil_verdicts_total{account="${accountId}",flow="${flowId}",verdict="${verdict}"} 0`
    const named = [unknown, verdicts('PASS'), verdicts('FLAG')]
    for (const line of named) expect(text).toContain(line)
    expect(text).not.toContain('33612345678')
    const rest = named.reduce((left, line) => left.replace(line, ''), text)
    expect(rest).not.toMatch(/(?:acc|tok|flo|rcp|rul|evl)_[0-9a-z]{26}/)
  })
})

describe('the alert rules', () => {
  test.each(allRules.map((rule) => ['alert' in rule ? rule.alert : rule.record, rule] as const))(
    '%s asks for what is exported',
    (_, rule) => {
      expect(unknownIn(rule.expr)).toEqual([])
    },
  )

  test('each have a name of their own, a severity, and a place to read on', () => {
    const headings = [...read('docs/guide/running.md').matchAll(/^#+ (.+)$/gm)].map(
      ([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
    )

    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { labels, annotations, for: duration = '1m' } of rules) {
      expect(['warning', 'critical']).toContain(labels.severity)
      expect(duration).toMatch(/^\d+m$/)
      const [page, anchor] = annotations.runbook.split('#')
      expect(page).toBe('docs/guide/running.md')
      expect(headings).toContain(anchor)
    }
  })

  test.each(rules.map((rule) => [rule.alert, rule]))(
    '%s says only labels that it has',
    (_, rule) => {
      const { selectors, groupedBy } = readPromql(rule.expr)
      const kept =
        groupedBy.length > 0 ? groupedBy : selectors.flatMap(({ metric }) => labelsOf(metric))

      const said = [...rule.annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(
        ([, name]) => name,
      )

      expect(kept).toEqual(expect.arrayContaining(said))
    },
  )
})

describe('VigilErrors', () => {
  const expression = rules.find(({ alert }) => alert === 'VigilErrors')?.expr ?? ''
  const [counted] = readPromql(expression).selectors
  const isCounted = (labels: Readonly<Record<string, string>>) =>
    (counted?.matchers ?? []).every(({ label, operator, value }) => {
      const said = labels[label] ?? ''
      const isSo = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(said) : said === value
      return operator.startsWith('!') ? !isSo : isSo
    })

  test.each([
    ['an unexpected failure', { route: '/v2/watch/eval', status: '500' }, true],
    ['a store that is away', { route: '/v1/session/migration', status: '503' }, true],
    ['a refusal', { route: '/v2/watch/eval', status: '429' }, false],
    ['an instance that is not ready', { route: '/health/ready', status: '503' }, false],
    ['a customer who does not answer', { route: '/v1/session/migration', status: '502' }, false],
  ])('counts %s or not', (_, labels, expected) => {
    expect(isCounted({ method: 'POST', ...labels })).toBe(expected)
  })

  test('passes over nothing but what customers did not answer', () => {
    const answering = listRoutes().filter(({ failures }) =>
      failures.some((code) => new Failure(code, '').status === 502),
    )

    expect(answering.map(({ operationId }) => operationId)).toEqual(['migrateSession'])
  })
})

/** Flags of an hour, and all its verdicts. */
type FlaggedOf = readonly [flagged: number, verdicts: number]

/** Whether the alert tells of one flow, given its hour and the same a week before: runs it as JavaScript. */
function isFlagShareAlert(now: FlaggedOf, before: FlaggedOf): boolean {
  const named = (record: string) => record.replaceAll(':', '_')
  const toScript = (expr: string) =>
    expr
      .replaceAll(/\bvigil:[\w:]+/g, (record) => `hour.${named(record)}`)
      .replaceAll(/\bhour(\.\w+) offset 7d/g, 'before$1')
      .replaceAll(/\band\b/g, '&&')
  const record = ([flagged, verdicts]: FlaggedOf): object => {
    const hour = { vigil_flagged_increase1h: flagged, vigil_verdicts_increase1h: verdicts }
    for (const { record, expr } of recordings) {
      if (named(record) in hour) continue
      Object.assign(hour, { [named(record)]: runInNewContext(toScript(expr), { hour }) })
    }
    return hour
  }
  const rule = rules.find(({ alert }) => alert === 'VigilFlagShareLeftItsWeek') ?? expect.fail()
  // in Prometheus the share is there whatever it is
  const [share, ...conditions] = toScript(rule.expr).split('&&')
  expect(share?.trim()).toBe('hour.vigil_flag_share_ratio1h')
  return runInNewContext(conditions.join('&&'), {
    ...{ abs: Math.abs, sqrt: Math.sqrt, clamp_max: Math.min },
    ...{ hour: record(now), before: record(before) },
  })
}

describe('VigilFlagShareLeftItsWeek', () => {
  test.each<[string, now: FlaggedOf, before: FlaggedOf]>([
    ['a ring that doubles the share', [300, 6_300], [120, 6_120]],
    ['a share that falls to nothing', [0, 6_000], [120, 6_120]],
    ['many flags after none', [60, 6_000], [0, 6_000]],
    ['five points more of a large share', [9_500, 10_000], [8_900, 10_000]],
  ])('tells of %s', (_, now, before) => {
    expect(isFlagShareAlert(now, before)).toBe(true)
  })

  test.each<[string, now: FlaggedOf, before: FlaggedOf]>([
    ['a first flag after none', [1, 6_000], [0, 6_000]],
    ['the same', [120, 6_120], [120, 6_120]],
    ['a tenth more of very many, certain and small', [11_000, 1e6], [10_000, 1e6]],
    ['three points more of a large share', [9_200, 10_000], [8_900, 10_000]],
    ['twice of few', [4, 100], [2, 100]],
    ['fractions of a series that has just begun', [1.03, 1.03], [20.7, 6_030.4]],
    ['fractions of one that had just begun', [120, 6_120], [1.03, 1.03]],
    ['a flow that rests', [0, 0], [120, 6_120]],
    ['a flow that rested', [120, 6_120], [0, 0]],
  ])('says nothing of %s', (_, now, before) => {
    expect(isFlagShareAlert(now, before)).toBe(false)
  })
})

describe('the dashboard', () => {
  test.each(targets.map(({ expr }) => [expr]))('asks for what is exported: %s', (expr) => {
    expect(unknownIn(expr)).toEqual([])
  })

  test('shows every metric of the service', () => {
    const asked = targets.flatMap(({ expr }) =>
      readPromql(expr.replaceAll('$', '')).selectors.map(({ metric }) => familyOf(metric)),
    )
    const own = new Set(
      samples.map(({ name }) => familyOf(name)).filter((name) => name.startsWith('vigil_')),
    )
    own.delete('vigil_projection_failing')

    expect([...own].filter((name) => !asked.includes(name))).toEqual([])
  })

  test('names in its legends only labels that its question keeps', () => {
    for (const { expr, legendFormat } of targets) {
      const { groupedBy } = readPromql(expr.replaceAll('$', ''))
      const kept = [...groupedBy, ...labelsOfPrometheus]
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label)
      expect(kept).toEqual(expect.arrayContaining(named))
    }
  })

  test('can be imported: every panel takes its data source from a variable and fits the width', () => {
    const variable = '$' + '{datasource}'
    const ids = dashboard.panels.map(({ id }) => id)

    expect(new Set(ids).size).toBe(ids.length)
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'job'])
    for (const { type, datasource, gridPos, targets: asked = [] } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
      if (type === 'row') continue
      expect(datasource).toEqual({ type: 'prometheus', uid: variable })
      expect(asked.map((target) => target.datasource.uid)).toEqual(asked.map(() => variable))
    }
  })
})

test('nothing takes a difference of positions for a number of events: they are not dense', () => {
  const asked = [...rules.map(({ expr }) => expr), ...targets.map(({ expr }) => expr)]

  const differences = asked.filter((expr) =>
    /(?:rate|increase|delta|deriv)\(\s*vigil_projection_position|_position\b[^)]*\)?\s*-|-\s*[\w(]*vigil_projection_position/.test(
      expr,
    ),
  )

  expect(differences).toEqual([])
})

test('the guide lists every metric of the service with its labels', () => {
  const guide = read('docs/guide/running.md')
  const own = samples.filter(({ name }) => name.startsWith('vigil_'))

  for (const metric of new Set(own.map(({ name }) => familyOf(name)))) {
    const labels = own
      .filter(({ name }) => familyOf(name) === metric)
      .flatMap((one) => Object.keys(one.labels))
    const named = [...new Set(labels)].filter((label) => label !== 'le').map((one) => `\`${one}\``)
    expect(guide).toContain(`| \`${metric}\` | ${named.join(', ')}${named.length > 0 ? ' ' : ''}|`)
  }
})

describe('the reader of PromQL', () => {
  test.each([['sum(rate(a[5m])'], ['a{b=c}'], ['a{b="c"} %% 2'], ['sum(a))']])(
    'refuses %s',
    (expression) => {
      expect(() => readPromql(expression)).toThrow()
    },
  )
})
