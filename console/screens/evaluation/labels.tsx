/** Shows what was reported of the person since. */

import { useAnswer } from '../../api/query.ts'
import type { Evaluation } from '../../api/schema.ts'
import { Moment } from '../../parts/moment.tsx'
import { Pending } from '../../parts/states.tsx'

export function Labels({
  evaluation: { id, evidence, evaluated_at },
}: {
  readonly evaluation: Evaluation
}) {
  const textOf = (name: string) => {
    const found = Array.isArray(evidence)
      ? evidence.find((one) => one.name === name)?.value
      : undefined
    return typeof found === 'string' ? found : undefined
  }
  const phone_number = textOf('target.phone_number')
  const email_address = phone_number === undefined ? textOf('target.email_address') : undefined
  const isKnown = phone_number !== undefined || email_address !== undefined
  // reports are told by searches: the one for the person at that moment finds this evaluation
  const query = {
    ...(phone_number !== undefined && { phone_number }),
    ...(email_address !== undefined && { email_address }),
    from: evaluated_at,
    to: new Date(Date.parse(evaluated_at) + 1).toISOString(),
  }
  const answer = useAnswer('GET /v2/watch/evaluations', { query }, { enabled: isKnown })
  const { value } = answer
  if (!isKnown) return null
  const own = value?.evaluations.find((one) => one.id === id)
  return (
    <section class="card" aria-labelledby="labels-title">
      <h2 id="labels-title">Since then</h2>
      <Pending of={answer} lines={1} />
      {own?.label_class && (
        <p>
          Labelled <b>{own.label_class}</b>.
        </p>
      )}
      <ul class="since">
        {own?.followed_by?.map(({ kind, name, last_reported_at }) => (
          <li key={kind + name}>
            <bdi>{name}</bdi> <span class="badge">{kind}</span> <Moment at={last_reported_at} />
          </li>
        ))}
      </ul>
      {value && !own?.followed_by?.length && (
        <p class="soft">Nothing was reported of this person.</p>
      )}
    </section>
  )
}
