/** Shows the read models, how far they are, and events that they could not apply. */

import { useState } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import { useAnswer } from '../../api/query.ts'
import type { Projection } from '../../api/schema.ts'
import { StateMark } from '../../parts/stateMark.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { count } from '../../parts/values.tsx'

export function ServiceScreen() {
  const { value, failure, refetch } = useAnswer('GET /v2/operator/projections', {})
  const parked = value?.projections.filter((one) => one.parked > 0) ?? []
  return (
    <>
      <div class="head">
        <h1>Service</h1>
        <button type="button" class="button" onClick={refetch}>
          Ask again
        </button>
      </div>
      {failure && <Failed failure={failure} retry={refetch} />}
      {!value && !failure && <Loading lines={8} />}
      {value && (
        <section class="card" aria-labelledby="models-title">
          <h2 id="models-title">Read models</h2>
          <Projections all={value.projections} />
        </section>
      )}
      {parked.map((projection) => (
        <Parked key={projection.name} projection={projection} onRetried={refetch} />
      ))}
      {value && parked.length === 0 && <p class="soft">No event is parked.</p>}
    </>
  )
}

function Projections({ all }: { readonly all: readonly Projection[] }) {
  return (
    <Table
      name="Read models"
      rows={all}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Name', show: ({ name }) => <code>{name}</code>, cell: ({ name }) => name },
        {
          title: 'State',
          isShort: true,
          show: ({ status }) => <StateMark of={status} />,
          cell: ({ status }) => status,
        },
        {
          title: 'Behind',
          isNumber: true,
          show: ({ lag_seconds }) =>
            lag_seconds === undefined ? '–' : `${lag_seconds.toFixed(lag_seconds < 10 ? 1 : 0)} s`,
          cell: ({ lag_seconds }) => lag_seconds,
        },
        {
          title: 'Position',
          isNumber: true,
          show: ({ position }) => count(position),
          cell: ({ position }) => position,
        },
        {
          title: 'Parked',
          isNumber: true,
          show: ({ parked }) => count(parked),
          cell: ({ parked }) => parked,
        },
        {
          title: 'Version',
          isNumber: true,
          show: ({ version }) => version,
          cell: ({ version }) => version,
        },
      ]}
    />
  )
}

interface ParkedProps {
  readonly projection: Projection
  readonly onRetried: () => void
}

function Parked({ projection: { name, parked, parked_events }, onRetried }: ParkedProps) {
  const [failure, fail] = useState<Error>()
  const [said, say] = useState('')
  const retry = async () => {
    fail(undefined)
    try {
      const path = { name }
      const { value } = await ask('POST /v2/operator/projections/{name}/retry', { path })
      say(`${value.applied} applied, ${value.parked} still parked.`)
      onRetried()
    } catch (error) {
      fail(error as Error)
    }
  }
  return (
    <section class="card" aria-label={`Parked by ${name}`}>
      <div class="card-head">
        <h2>
          {count(parked)} parked by <code>{name}</code>
        </h2>
        <button type="button" onClick={() => void retry()}>
          Try them again
        </button>
        <span role="status" class="soft">
          {said}
        </span>
      </div>
      {failure && <Failed failure={failure} />}
      <Table
        name={`Parked by ${name}`}
        rows={parked_events}
        keyOf={({ position }) => String(position)}
        columns={[
          { title: 'Event', show: ({ type }) => <code>{type}</code>, cell: ({ type }) => type },
          {
            title: 'Position',
            isNumber: true,
            show: ({ position }) => count(position),
            cell: ({ position }) => position,
          },
          {
            title: 'Stream',
            show: ({ stream, revision }) => (
              <code>
                {stream} {revision}
              </code>
            ),
            cell: ({ stream }) => stream,
          },
          {
            title: 'Why',
            show: ({ error }) => <bdi>{error}</bdi>,
            cell: ({ error }) => error,
          },
        ]}
      />
    </section>
  )
}
