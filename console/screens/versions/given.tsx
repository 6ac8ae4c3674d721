/** Lists the verdicts given under a version that the flow of today would answer otherwise. */

import { useEffect, useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import { fileAddressOf } from '../../api/client.ts'
import { readLines } from '../../api/lines.ts'
import { ShortTable } from '../../parts/shortTable.tsx'
import { Failed } from '../../parts/states.tsx'
import { count, percent } from '../../parts/values.tsx'

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

interface Line {
  readonly verdict?: Verdict
  readonly progress?: { readonly done: number }
  readonly result?: Result
}

interface Found {
  readonly verdicts: readonly Verdict[]
  readonly done: number
  readonly result?: Result
}

/** Held of them; the rest is counted. */
const heldMax = 1_000
const nothing: Found = { verdicts: [], done: 0 }

function addLine(found: Found, { verdict, progress, result }: Line): Found {
  const isShown = verdict && found.verdicts.length < heldMax
  return {
    verdicts: isShown ? [...found.verdicts, verdict] : found.verdicts,
    done: progress?.done ?? found.done,
    ...(result && { result }),
  }
}

export function Given({ id }: { readonly id: string }) {
  const [found, set] = useState(nothing)
  const [failure, fail] = useState<Error>()
  const [attempt, again] = useState(0)
  useEffect(() => {
    const stopping = new AbortController()
    set(nothing)
    fail(undefined)
    follow(id, set, stopping.signal).catch((error) => {
      if (!stopping.signal.aborted) fail(error)
    })
    return () => stopping.abort()
  }, [id, attempt])
  const { verdicts, done, result } = found
  return (
    <section class="card" aria-labelledby="given-title">
      <h2 id="given-title">Verdicts of this version that today’s flow would change</h2>
      <p class="soft">
        <code>{id}</code> ·{' '}
        <a href={linkTo('/evaluations', { where: `ran = ${id}`, range: '30d' })}>
          all evaluations that ran it
        </a>
      </p>
      {failure && <Failed failure={failure} retry={() => again(attempt + 1)} />}
      {!result && !failure && (
        <p class="marks" role="status">
          <progress max={1} value={done} aria-label="Done" /> {percent(done)} looked at
        </p>
      )}
      {result && <Summary result={result} />}
      {verdicts.length > 0 && <Verdicts verdicts={verdicts} />}
      {result && result.to_flag + result.to_pass > verdicts.length && (
        <p class="soft">
          The first {count(heldMax)} are listed. All: <code>npx vigil versions verdicts {id}</code>
        </p>
      )}
    </section>
  )
}

async function follow(id: string, set: (found: Found) => void, signal: AbortSignal) {
  const address = fileAddressOf('GET /v2/watch/versions/{version_id}/verdicts', {
    path: { version_id: id },
  })
  let found = nothing
  for await (const line of readLines<Line>(address, signal)) {
    found = addLine(found, line)
    if (!line.verdict) set(found)
  }
  // an answer without its last line was broken off
  if (!found.result) throw new Error('The answer was broken off: what is shown is not all.')
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

function Verdicts({ verdicts }: Pick<Found, 'verdicts'>) {
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
