/** Lists the rules that always or never fire. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import { Pending } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'

export function RulesToMend() {
  const answer = useAnswer('GET /v2/watch/rules/report', {})
  const { value } = answer
  const odd =
    value?.rules.filter(({ fires }) => fires === 'always' || fires === 'never' || fires === null) ??
    []
  const ran = ({ fired, not_fired }: (typeof odd)[number]) =>
    [fired, not_fired].reduce((sum, one) => sum + one.fraud + one.legitimate + one.unlabelled, 0)
  const words = {
    always: 'always fires',
    never: 'never fires',
    null: 'never ran: it lacked evidence',
  }
  return (
    <section class="card" aria-labelledby="odd-title">
      <h2 id="odd-title">Rules that always or never fire</h2>
      <Pending of={answer} lines={14} />
      {value && odd.length === 0 && <p class="soft">Every rule fires sometimes.</p>}
      {odd.length > 10 && <p class="soft">The first 10 of {odd.length}.</p>}
      {odd.length > 0 && (
        <Table
          name="Rules that always or never fire"
          rows={odd.slice(0, 10)}
          keyOf={({ rule_id, version_id = '', status }) => rule_id + version_id + status}
          columns={[
            {
              title: 'Rule',
              show: ({ rule_id, name, type }) =>
                type === 'CUSTOM' ? (
                  <a href={linkTo(`/rules/${rule_id}`)}>
                    <bdi>{name ?? rule_id}</bdi>
                  </a>
                ) : (
                  <code>{rule_id}</code>
                ),
              cell: ({ name, rule_id }) => name ?? rule_id,
            },
            {
              title: 'What',
              show: ({ fires }) => words[`${fires}` as keyof typeof words],
              cell: ({ fires }) => fires,
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
