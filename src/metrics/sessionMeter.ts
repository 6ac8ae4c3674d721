/** Counts session refreshes and migrations (`vigil_session_…`), without naming users. */

import { Counter, type Registry } from 'prom-client'

/**
 * `refreshed`: another token took its place. `repeated`: the answer was given again. `reused`: it had been used before, and its session was
 * revoked. `expired`: its session had lived longer than the application lets it by now.
 */
const refreshResults = ['refreshed', 'repeated', 'reused', 'expired'] as const

type RefreshResult = (typeof refreshResults)[number]

/**
 * `migrated`: a session was started. `refused`: the customer says that it is none. `unconfigured`: there is no URL to ask. `failed`: the customer gave no answer
 * as the contract has it. `paused`: the customer was left alone. `conflict`: what was answered belongs to several users, or others were faster.
 * `crowded`: too many questions of the customer, or of all, were under way. `faulted`: the service could not do its own part.
 */
const migrationResults = [
  'migrated',
  'refused',
  'unconfigured',
  'failed',
  'paused',
  'conflict',
  'crowded',
  'faulted',
] as const

export type MigrationResult = (typeof migrationResults)[number]

export interface SessionMeter {
  readonly migrated: (result: MigrationResult) => void
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
  const migrations = new Counter({
    name: 'vigil_session_migrations_total',
    help: 'Legacy sessions that were presented to become sessions.',
    labelNames: ['result'],
    registers: [registry],
  })
  for (const result of migrationResults) migrations.inc({ result }, 0)
  return {
    refreshed: (result) => refreshes.inc({ result }),
    migrated: (result) => migrations.inc({ result }),
  }
}
