/** Shows how the flows do this week against the week before, and what needs a look. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { FlowFigures, FlowStatistics } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { Chart } from '../../parts/chart.tsx'
import { Command, Empty, Pending } from '../../parts/states.tsx'
import { Tiles } from '../../parts/tiles.tsx'
import { count, percent } from '../../parts/values.tsx'
import { Health } from './health.tsx'
import { RulesToMend } from './rulesToMend.tsx'
import './overview.css'

export function Overview() {
  return (
    <>
      <div class="head">
        <h1>Overview</h1>
        <span class="soft">the last seven days, UTC</span>
      </div>
      {may('operator') ? (
        <p>
          The operator keeps <a href={linkTo('/accounts')}>accounts</a> and the{' '}
          <a href={linkTo('/service')}>service</a>; verdicts are seen with a token of their account.
        </p>
      ) : may('analyse', 'audit') ? (
        <Figures />
      ) : (
        <p>Figures are of an account, for a token with the scope analyse or audit.</p>
      )}
      <Health />
    </>
  )
}

function Figures() {
  const answer = useAnswer('GET /v2/watch/statistics', {
    query: { by: 'day' },
  })
  const { value } = answer
  if (answer.failure || !value) return <Pending of={answer} lines={8} />
  const live = value.flows.filter(({ imported }) => !imported)
  if (live.length === 0) {
    return (
      <Empty title="No evaluations yet">
        <p>Your programs ask for verdicts over HTTP. From the terminal:</p>
        <Command>
          npx vigil eval Signup --phone +33612345678 --email ada90210@mailinator.com --ext
          shop_country=FR
        </Command>
        <p>
          or <a href={linkTo('/rules/new')}>write a rule</a> first.
        </p>
      </Empty>
    )
  }
  const missing = sumMissing(live)
  return (
    <>
      <Totals flows={live} />
      <div class="flows">
        {live.map((flow) => (
          <FlowCard key={flow.flow_id} flow={flow} from={value.from} to={value.to} />
        ))}
      </div>
      <div class="two">
        <section class="card" aria-labelledby="missing-title">
          <h2 id="missing-title">What was missing</h2>
          {missing.length === 0 && <p class="soft">Every rule had what it reads.</p>}
          <ul class="bars">
            {missing.slice(0, 8).map(([name, sum]) => (
              <li key={name}>
                <a href={linkTo('/evaluations', { where: `missing = ${name}` })}>
                  <code>{name}</code>
                </a>
                <meter
                  min={0}
                  max={missing[0]?.[1] ?? 1}
                  value={sum}
                  aria-label={`${name} was missing`}
                />
                <span class="number">{count(sum)}</span>
              </li>
            ))}
          </ul>
          {may('analyse') && (
            <p class="more">
              <a href={linkTo('/missing')}>All names, and keys that nearly match</a>
            </p>
          )}
        </section>
        {may('analyse', 'audit') && (
          <RulesToMend evaluations={sumFigures(live.map(({ figures }) => figures)).evaluations} />
        )}
      </div>
    </>
  )
}

function sumMissing(flows: readonly FlowStatistics[]): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>()
  for (const { name, evaluations } of flows.flatMap(({ missing }) => missing)) {
    sums.set(name, (sums.get(name) ?? 0) + evaluations)
  }
  return [...sums].toSorted(([, one], [, other]) => other - one)
}

function sumFigures(all: readonly FlowFigures[]) {
  const sum = (of: 'evaluations' | 'flagged' | 'fragile') =>
    all.reduce((total, one) => total + one[of], 0)
  const evaluations = sum('evaluations')
  const flagged = sum('flagged')
  return {
    evaluations,
    flagged,
    fragile: sum('fragile'),
    share: evaluations === 0 ? null : flagged / evaluations,
  }
}

function Totals({ flows }: { readonly flows: readonly FlowStatistics[] }) {
  const now = sumFigures(flows.map(({ figures }) => figures))
  const finished = sumFigures(flows.map(({ whole_hours }) => whole_hours))
  const before = sumFigures(flows.map(({ week_before }) => week_before))
  const partial = flows.flatMap(({ recipes }) => recipes.filter(({ status }) => status === 'LIVE'))
  const inPart = partial.reduce((sum, { figures }) => sum + figures.partial, 0)
  return (
    <Tiles
      of={[
        {
          title: 'Evaluations',
          figure: count(now.evaluations),
          href: linkTo('/evaluations'),
          note: compare(finished.evaluations, before.evaluations),
        },
        {
          title: 'Flagged',
          figure: percent(now.share),
          href: linkTo('/evaluations', { verdict: 'FLAG' }),
          note: `${before.share === null ? 'nothing' : percent(before.share)} the week before`,
        },
        {
          title: 'Fragile',
          figure: count(now.fragile),
          href: linkTo('/evaluations', { where: 'fragile = true' }),
          note: 'missing evidence could turn them',
        },
        {
          title: 'Partial',
          figure: count(inPart),
          href: linkTo('/evaluations', { where: 'partial = true' }),
          note: 'results of recipes that lacked something',
        },
      ]}
    />
  )
}

function compare(now: number, before: number): string {
  if (before === 0) return 'nothing the week before'
  const change = Math.round((now / before - 1) * 100)
  return `${change >= 0 ? '+' : '−'}${Math.abs(change)}% on the week before`
}

interface FlowProps {
  readonly flow: FlowStatistics
  readonly from: string
  readonly to: string
}

function FlowCard({ flow, from, to }: FlowProps) {
  const { flow_id, name = flow_id, figures, week_before, whole_hours, buckets } = flow
  return (
    <section class="card">
      <h2>
        <a href={linkTo('/evaluations', { flow: flow_id })}>
          <bdi>{name}</bdi>
        </a>
      </h2>
      <p class="flow-figures">
        <b class="number">{count(figures.evaluations)}</b> evaluations{' '}
        <span class="soft">{compare(whole_hours.evaluations, week_before.evaluations)}</span>
        <br />
        <b class="number">{percent(figures.share)}</b> flagged{' '}
        <span class="soft">
          {week_before.share === null ? '' : `${percent(week_before.share)} the week before`}
        </span>
      </p>
      <Chart name={`Evaluations of ${name}`} by="day" from={from} to={to} buckets={buckets} />
    </section>
  )
}
