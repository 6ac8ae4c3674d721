/** Lists the templates of the account. */

import { linkTo } from '../../api/address.ts'
import { useAnswer } from '../../api/query.ts'
import type { Template } from '../../api/schema.ts'
import { may } from '../../api/session.ts'
import { CopyId } from '../../parts/copyId.tsx'
import { ShortTable } from '../../parts/shortTable.tsx'
import { Command, Empty, Failed, Loading } from '../../parts/states.tsx'

const codeOf = ({ code_size, ttl_minutes }: Template) => `${code_size} digits, ${ttl_minutes} min`
const limitOf = ({ per_phone_number_limit, sliding_window_hours }: Template) =>
  `${per_phone_number_limit} codes in ${sliding_window_hours} h`

export function Templates() {
  const { value, failure, refetch } = useAnswer('GET /v2/verification/management/templates', {})
  return (
    <section class="card" aria-labelledby="templates-title">
      <div class="card-head">
        <h2 id="templates-title">Templates</h2>
        {may('manage') && (
          <a class="button" href={linkTo('/verification/templates/new')}>
            New template
          </a>
        )}
      </div>
      {failure && <Failed failure={failure} retry={refetch} />}
      {!value && !failure && <Loading lines={5} />}
      {value?.templates.length === 0 && (
        <Empty title="No templates yet">
          <p>A template says how codes are sent, one for each brand, say:</p>
          <Command>npx vigil templates create "Ada Shop"</Command>
        </Empty>
      )}
      {value && value.templates.length > 0 && (
        <ShortTable
          name="Templates"
          rows={value.templates.toReversed()}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Name',
              show: ({ id, name }) => (
                <a href={linkTo(`/verification/templates/${id}`)}>
                  <bdi>{name}</bdi>
                </a>
              ),
              cell: ({ name }) => name,
            },
            { title: 'For', show: ({ kind }) => kind, cell: ({ kind }) => kind },
            { title: 'Code', show: codeOf, cell: codeOf },
            { title: 'A number gets', show: limitOf, cell: limitOf },
            {
              title: 'Ends with',
              show: ({ suffix }) => suffix && <bdi>{suffix}</bdi>,
              cell: ({ suffix }) => suffix,
            },
            { title: 'Id', show: ({ id }) => <CopyId id={id} shown={6} />, cell: ({ id }) => id },
          ]}
        />
      )}
    </section>
  )
}
