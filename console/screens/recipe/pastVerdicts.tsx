/** Shows what the draft makes of the newest evaluations while it is moved, and starts what takes longer. */

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Flow, Recipe, RecipeInput } from '../../api/schema.ts'
import { BacktestTable, ChangedVerdicts } from '../../parts/backtestTable.tsx'
import { Select } from '../../parts/fields.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { count } from '../../parts/values.tsx'
import { VerdictBar } from '../../parts/verdictBar.tsx'
import { requestOf } from './recipeDraft.ts'
import { Starts } from './starts.tsx'
import { UncertainBand } from './uncertainBand.tsx'
import { usePreview } from './usePreview.ts'

interface PastProps {
  readonly recipe: Recipe
  readonly content: RecipeInput
  readonly flows: readonly Flow[]
}

export function PastVerdicts({ recipe, content, flows }: PastProps) {
  const [flowId, choose] = useState(flows[0]?.id ?? '')
  const flow = flows.find(({ id }) => id === flowId)
  if (!flow) {
    return (
      <section class="card" aria-labelledby="past-title">
        <h2 id="past-title">On the past</h2>
        <Empty title="No flow runs this recipe">
          <p>There is nothing to try it on until a flow names it.</p>
        </Empty>
      </section>
    )
  }
  return (
    <section class="card" aria-labelledby="past-title">
      <h2 id="past-title">On the past</h2>
      {flows.length > 1 && (
        <Select
          label="In the flow"
          value={flowId}
          options={flows.map(({ id, name }) => [id, name])}
          onChange={choose}
        />
      )}
      <Verdicts recipe={recipe} content={content} flow={flow}>
        <UncertainBand recipe={recipe} content={content} flow={flow} />
      </Verdicts>
      <Starts recipe={recipe} content={content} flow={flow} />
    </section>
  )
}

interface InFlow {
  readonly recipe: Recipe
  readonly content: RecipeInput
  readonly flow: Flow
  /** Before the list, which may be long. */
  readonly children: ComponentChildren
}

function Verdicts({ recipe, content, flow, children }: InFlow) {
  const { report, failure, isOld } = usePreview(requestOf(flow, recipe, content))
  if (!report) return failure ? <Failed failure={failure} /> : <Loading lines={6} />
  const { evaluations, by_draft, from } = report
  return (
    <div class={isOld ? 'old' : ''} aria-busy={isOld}>
      {failure && <Failed failure={failure} />}
      {evaluations === 0 ? (
        <p class="soft">The flow has no evaluations yet.</p>
      ) : (
        <>
          <p>
            Of the <b>{count(evaluations)}</b> newest evaluations of <bdi>{flow.name}</bdi> it turns{' '}
            <b>{count(by_draft.to_flag)}</b> to flag and <b>{count(by_draft.to_pass)}</b> to pass.
          </p>
          <VerdictBar table={report.table} />
          <p class="soft">
            As if it were live. Back to <Moment at={from} />
          </p>
          <details>
            <summary>By verdict and label</summary>
            <BacktestTable report={report} />
          </details>
          {children}
          <h3>Verdicts that it turns</h3>
          <ChangedVerdicts report={report} />
        </>
      )}
    </div>
  )
}
