/** Counts what becomes of refresh tokens; none of it says whose. */

import { Counter, type Registry } from 'prom-client'

/**
 * `refreshed`: another token took its place. `repeated`: the answer was given again. `reused`: it had been used before, and its session was
 * revoked.
 */
const refreshResults = ['refreshed', 'repeated', 'reused'] as const

type RefreshResult = (typeof refreshResults)[number]

export interface SessionMeter {
  readonly refreshed: (result: RefreshResult) => void
}

/** Opens the meter in the registry. */
export function openSessionMeter(registry: Registry): SessionMeter {
  const refreshes = new Counter({
    name: 'vigil_session_refreshes_total',
    help: 'Refresh tokens of sessions that were presented with a good proof.',
    labelNames: ['result'],
    registers: [registry],
  })
  for (const result of refreshResults) refreshes.inc({ result }, 0)
  return { refreshed: (result) => refreshes.inc({ result }) }
}
