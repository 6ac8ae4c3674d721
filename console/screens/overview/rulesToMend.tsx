/** Lists the rules that always or never trigger. */

import { useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import { serverNowMs } from '../../api/client.ts'
import { useAnswer } from '../../api/query.ts'
import { Moment } from '../../parts/moment.tsx'
import { Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'

/** A report looks at each evaluation: of more than so many the newest do. */
const lookedAt = 50_000
const weekMs = 7 * 86_400_000

/** `evaluations` are those of a week. */
export function RulesToMend({ evaluations }: { readonly evaluations: number }) {
  const [from] = useState(() => {
    const share = Math.min(1, lookedAt / evaluations)
    const minute = Math.floor((serverNowMs() - weekMs * share) / 60_000)
    return new Date(minute * 60_000).toISOString()
  })
  const answer = useAnswer('GET /v2/watch/rules/report', { query: { from } })
  const { value } = answer
  const odd = value?.rules.filter(({ fires }) => fires !== 'sometimes') ?? []
  const ran = ({ fired, not_fired }: (typeof odd)[number]) =>
    [fired, not_fired].reduce((sum, one) => sum + one.fraud + one.legitimate + one.unlabelled, 0)
  return (
    <section class="card" aria-labelledby="odd-title">
      <h2 id="odd-title">Rules that always or never trigger</h2>
      <Pending of={answer} lines={14} />
      {value && odd.length === 0 && <p class="soft">Every rule triggers sometimes.</p>}
      {evaluations > lookedAt && (
        <p class="soft">
          Only since <Moment at={from} />
        </p>
      )}
      {odd.length > 10 && <p class="soft">The first 10 of {odd.length}.</p>}
      {odd.length > 0 && (
        <Table
          name="Rules that always or never trigger"
          rows={odd.slice(0, 10)}
          keyOf={({ rule_id, version_id = '', status }) => rule_id + version_id + status}
          columns={[
            {
              title: 'Rule',
              href: ({ rule_id, type }) =>
                type === 'CUSTOM' ? linkTo(`/rules/${rule_id}`) : undefined,
              cell: ({ name, rule_id }) => name ?? rule_id,
            },
            {
              title: 'What',
              cell: ({ fires }) => (fires ? `${fires} triggers` : 'never ran: it lacked evidence'),
            },
            { title: 'Ran on', isNumber: true, cell: ran },
          ]}
        />
      )}
      <p class="more">
        <a href={linkTo('/report')}>Report of all rules</a>
      </p>
    </section>
  )
}
