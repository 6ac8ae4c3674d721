/** Counts what becomes of refresh tokens and of legacy sessions; none of it says whose. */

import { Counter, type Registry } from 'prom-client'

/**
 * `refreshed`: another token took its place. `repeated`: the answer was given again. `reused`: it had been used before, and its session was
 * revoked.
 */
const refreshResults = ['refreshed', 'repeated', 'reused'] as const

type RefreshResult = (typeof refreshResults)[number]

/**
 * `migrated`: a session was started. `refused`: there is no such legacy session, or nothing to be asked. `paused`: the customer was left
 * alone. `failed`: the customer gave no answer, or it led to no session.
 */
const migrationResults = ['migrated', 'refused', 'paused', 'failed'] as const

type MigrationResult = (typeof migrationResults)[number]

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
