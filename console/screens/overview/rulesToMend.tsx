/** Lists the rules that always or never trigger. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'

export function RulesToMend() {
  const answer = useAnswer('GET /v2/watch/rules/report', {})
  const { value } = answer
  const odd = value?.rules.filter(({ fires }) => fires !== 'sometimes') ?? []
  const ran = ({ fired, not_fired }: (typeof odd)[number]) =>
    [fired, not_fired].reduce((sum, one) => sum + one.fraud + one.legitimate + one.unlabelled, 0)
  return (
    <section class="card" aria-labelledby="odd-title">
      <h2 id="odd-title">Rules that always or never trigger</h2>
      <Pending of={answer} lines={14} />
      {value && odd.length === 0 && <p class="soft">Every rule triggers sometimes.</p>}
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
