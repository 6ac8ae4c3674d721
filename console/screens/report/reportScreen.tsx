/** Shows how well each rule tells fraud from the rest, as surely as its labels allow. */

import { here } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { Moment } from '../../parts/moment.tsx'
import {
  changeQuestion,
  type Question,
  QuestionForm,
  useQuestion,
} from '../../parts/questionForm.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { count } from '../../parts/values.tsx'
import { ReportTable } from './reportTable.tsx'
import './report.css'

const classes = ['fraud', 'legitimate'] as const
type LabelClass = (typeof classes)[number]

export function ReportScreen() {
  const question = useQuestion()
  const label: LabelClass = here.value.query.get('label') === 'legitimate' ? 'legitimate' : 'fraud'
  return (
    <>
      <div class="head">
        <h1>Rules report</h1>
        <span class="soft">which rules find {label}, and how surely</span>
      </div>
      <QuestionForm question={question} />
      <fieldset class="choice">
        <legend class="label">Measured against the label</legend>
        {classes.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="label"
              checked={one === label}
              onChange={() => changeQuestion({ label: one })}
            />
            {one}
          </label>
        ))}
      </fieldset>
      <Report question={question} label={label} />
    </>
  )
}

interface ReportProps {
  readonly question: Question
  readonly label: LabelClass
}

function Report({ question: { flow, where, from }, label }: ReportProps) {
  const answer = useAnswer('GET /v2/watch/rules/report', {
    query: { from, label_class: label, ...(where && { where }), ...(flow && { flow_id: flow }) },
  })
  const { value } = answer
  if (answer.failure || !value) return <Pending of={answer} lines={8} />
  const { fraud, legitimate, unlabelled } = value.evaluations
  if (value.rules.length === 0) {
    return (
      <Empty title="No rule ran">
        <p>A rule runs when a recipe with it is in a flow that is asked for a verdict.</p>
      </Empty>
    )
  }
  return (
    <>
      <p>
        <b class="number">{count(fraud)}</b> evaluations labelled fraud,{' '}
        <b class="number">{count(legitimate)}</b> legitimate,{' '}
        <b class="number">{count(unlabelled)}</b> without a label{' '}
        <span class="soft">
          from <Moment at={value.from} /> to <Moment at={value.to} />
        </span>
      </p>
      {fraud + legitimate === 0 && (
        <p class="warning">
          Precision needs labels. Programs send what became of an evaluation to{' '}
          <code>POST /v2/watch/event</code>.
        </p>
      )}
      <ReportTable rules={value.rules} label={label} />
      {value.truncated && (
        <p class="warning">More rules ran than a report has: ask for a shorter time.</p>
      )}
      <p class="soft">
        The bars are the 95% interval: the fewer labels, the longer. Precision: of those in which it
        triggered. Recall: of all {label} it ran on. Lift: how many times better than chance; the
        dashed line is chance.
      </p>
    </>
  )
}
