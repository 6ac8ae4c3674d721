/** Says whether the service is ready and how far its read models are behind. */

import { useEffect, useState } from 'preact/hooks'
import { ApiFailure, send } from '../../api/client.ts'
import type { Readiness } from '../../api/schema.ts'
import { Failed } from '../../parts/states.tsx'

export function Health() {
  const [health, set] = useState<Readiness>()
  const [failure, fail] = useState<Error>()
  const load = () => {
    fail(undefined)
    send('/health/ready', {})
      .then((response) => response.json())
      .then(set, fail)
  }
  useEffect(load, [])
  if (failure) {
    const isDown = failure instanceof ApiFailure && failure.status === 503
    return (
      <Failed
        failure={
          isDown ? new Error('The service is not ready: what is shown may be old.') : failure
        }
        retry={load}
      />
    )
  }
  if (!health) return null
  const lag = Math.max(0, ...health.projections.map(({ lag_seconds = 0 }) => lag_seconds))
  const parked = health.projections.reduce((sum, one) => sum + one.parked, 0)
  return (
    <p class="health soft">
      <i class={lag < 5 && parked === 0 ? 'good' : 'bad'} aria-hidden="true" /> The service is
      ready. Read models are {lag < 1 ? 'up to date' : `${Math.round(lag)} s behind`}
      {parked > 0 &&
        `, ${parked} events are parked: the operator sees which with vigil projections`}
      .
    </p>
  )
}
