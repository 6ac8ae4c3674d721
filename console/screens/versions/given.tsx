/** Lists the verdicts given under a version that the flow of today would answer otherwise. */

import { linkTo } from '../../api/address.ts'
import { fileAddressOf } from '../../api/client.ts'
import { useScan } from '../../api/lines.ts'
import { ShortTable } from '../../parts/shortTable.tsx'
import { Failed, ScanProgress } from '../../parts/states.tsx'
import { count } from '../../parts/values.tsx'

interface Verdict {
  readonly id: string
  readonly evaluated_at: string
  readonly answered: 'PASS' | 'FLAG'
  readonly now: 'PASS' | 'FLAG'
  readonly correlation_id?: string
}

interface Result {
  readonly evaluations: number
  readonly to_flag: number
  readonly to_pass: number
  readonly not_evaluated: number
  readonly forgotten: number
  readonly without_flow: number
}

/** Kept of them; the rest is counted. */
const rowsMax = 1_000

export function Given({ id }: { readonly id: string }) {
  const address = fileAddressOf('GET /v2/watch/versions/{version_id}/verdicts', {
    path: { version_id: id },
  })
  const { again, stop, ...found } = useScan<Verdict, Result>(address, {
    rowName: 'verdict',
    rowsMax,
  })
  const { rows: verdicts, result, failure } = found
  return (
    <section class="card" aria-labelledby="given-title">
      <h2 id="given-title">Verdicts of this version that today’s flow would change</h2>
      <p class="soft">
        <code>{id}</code> ·{' '}
        <a href={linkTo('/evaluations', { where: `ran = ${id}`, range: '30d' })}>
          all evaluations that ran it
        </a>
      </p>
      {failure && <Failed failure={failure} retry={again} />}
      <ScanProgress of={found} onStop={stop} onAgain={again} />
      {result && <Summary result={result} />}
      {verdicts.length > 0 && <Verdicts verdicts={verdicts} />}
      {result && result.to_flag + result.to_pass > verdicts.length && (
        <p class="soft">
          The first {count(rowsMax)} are listed. All: <code>npx vigil versions verdicts {id}</code>
        </p>
      )}
    </section>
  )
}

function Summary({ result }: { readonly result: Result }) {
  const { evaluations, to_flag, to_pass } = result
  const others = [
    [result.not_evaluated, 'depend on what is not on record'],
    [result.forgotten, 'have no evidence any more'],
    [result.without_flow, 'are of flows that there are no more'],
  ] as const
  return (
    <p>
      <b>{count(evaluations)}</b> evaluations ran it: the flow of today turns{' '}
      <b>{count(to_flag)}</b> to flag and <b>{count(to_pass)}</b> to pass.
      {others
        .filter(([number]) => number > 0)
        .map(([number, words]) => (
          <span key={words} class="soft">
            {' '}
            {count(number)} {words}.
          </span>
        ))}
    </p>
  )
}

function Verdicts({ verdicts }: { readonly verdicts: readonly Verdict[] }) {
  return (
    <ShortTable
      name="Verdicts that would change"
      rows={verdicts}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Evaluation',
          as: 'code',
          href: ({ id }) => linkTo(`/evaluations/${id}`),
          cell: ({ id }) => id,
        },
        { title: 'When', as: 'moment', cell: ({ evaluated_at }) => evaluated_at },
        { title: 'Answered', isShort: true, as: 'outcome', cell: ({ answered }) => answered },
        { title: 'Today', isShort: true, as: 'outcome', cell: ({ now }) => now },
        {
          title: 'Correlation id',
          show: ({ correlation_id }) => <bdi>{correlation_id ?? '–'}</bdi>,
          cell: ({ correlation_id }) => correlation_id,
        },
      ]}
    />
  )
}
