/** Counts password hashes, changes and checks (`vigil_password_…`), without naming users. */

import { Counter, Gauge, type Registry } from 'prom-client'

/**
 * Why no hash was computed: the user or the session had too many, the account has its share of what is computed, all together have all there is,
 * or the turn did not come in time.
 */
const hashRefusals = ['rate_limited', 'account_busy', 'busy', 'too_slow'] as const
const changes = ['user', 'account', 'rehash'] as const
const checks = ['valid', 'invalid'] as const

export interface PasswordMeter {
  /** A hash was computed. */
  readonly hashed: () => void
  readonly refused: (reason: (typeof hashRefusals)[number]) => void
  /** Says how it is asked how many wait for a hash to be computed. */
  readonly watchQueue: (waiting: () => number) => void
  /** A password was changed, by whom. */
  readonly changed: (by: (typeof changes)[number]) => void
  readonly checked: (result: (typeof checks)[number]) => void
}

/** Opens the meter in the registry. */
export function openPasswordMeter(registry: Registry): PasswordMeter {
  const registers = [registry]
  const hashes = new Counter({
    name: 'vigil_password_hashes_total',
    help: 'Hashes of passwords computed.',
    registers,
  })
  const refusals = new Counter({
    name: 'vigil_password_hashes_refused_total',
    help: 'Hashes of passwords that were not computed because there were too many.',
    labelNames: ['reason'],
    registers,
  })
  const changed = new Counter({
    name: 'vigil_password_changes_total',
    help: 'Passwords changed.',
    labelNames: ['by'],
    registers,
  })
  const checked = new Counter({
    name: 'vigil_password_checks_total',
    help: 'Passwords that callers have asked about.',
    labelNames: ['result'],
    registers,
  })
  let waiting = (): number => 0
  new Gauge({
    name: 'vigil_password_hashes_waiting',
    help: 'Hashes of passwords that wait to be computed.',
    registers,
    collect(): void {
      this.set(waiting())
    },
  })
  for (const reason of hashRefusals) refusals.inc({ reason }, 0)
  for (const by of changes) changed.inc({ by }, 0)
  for (const result of checks) checked.inc({ result }, 0)
  return {
    hashed: () => hashes.inc(),
    refused: (reason) => refusals.inc({ reason }),
    watchQueue: (ask) => {
      waiting = ask
    },
    changed: (by) => changed.inc({ by }),
    checked: (result) => checked.inc({ result }),
  }
}
