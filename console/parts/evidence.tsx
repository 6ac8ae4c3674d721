/** Lists what arrived with its source, and what was sent and did not count. */

import type { Evaluation } from '../api/schema.ts'
import { Empty } from './states.tsx'
import { Table } from './table.tsx'
import { Value } from './values.tsx'
import { WhoHasSeen } from './whoHasSeen.tsx'

interface EvidenceProps {
  readonly evidence: Evaluation['evidence']
  readonly notCounted: Evaluation['not_counted']
}

const cellOf = (value: unknown) => (typeof value === 'object' ? 'sealed' : (value as string))

export function Evidence({ evidence, notCounted }: EvidenceProps) {
  const sent = Array.isArray(notCounted) ? notCounted : []
  return (
    <section class="card" aria-labelledby="evidence-title">
      <h2 id="evidence-title">Evidence</h2>
      {Array.isArray(evidence) ? (
        <Table
          name="Evidence"
          rows={evidence}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Name', as: 'code', cell: ({ name }) => name },
            {
              title: 'Value',
              show: ({ name, value }) => (
                <span class="marks">
                  <Value of={value} />
                  {name.startsWith('target.') && <WhoHasSeen person={value} />}
                </span>
              ),
              cell: ({ value }) => cellOf(value),
            },
            {
              title: 'Source',
              show: ({ source }) => source.replace('_', ' '),
              cell: ({ source }) => source,
            },
          ]}
        />
      ) : (
        <Empty title="The evidence was erased with the person" />
      )}
      {sent.length > 0 && (
        <>
          <h3>Sent, not counted</h3>
          <Table
            name="Sent, not counted"
            rows={sent}
            keyOf={({ name, source }) => name + source}
            columns={[
              {
                title: 'Name',
                show: ({ name, suggestion }) => (
                  <>
                    <code>{name}</code>
                    {suggestion !== undefined && (
                      <span class="soft"> did you mean {suggestion}?</span>
                    )}
                  </>
                ),
                cell: ({ name }) => name,
              },
              {
                title: 'Value',
                show: ({ value }) => <Value of={value} />,
                cell: ({ value }) => cellOf(value),
              },
              {
                title: 'Why',
                show: ({ reason }) => reason.replaceAll('_', ' '),
                cell: ({ reason }) => reason,
              },
            ]}
          />
        </>
      )}
    </section>
  )
}
