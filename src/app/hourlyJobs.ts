/** Starts hourly jobs: rotates signing keys, destroys replaced passwords, expires evidence. */

import { expireEvidence } from '../commands/audit/retention.ts'
import { rotateDueSigningKeys } from '../commands/sessions/apps/signingKeys.ts'
import { openReplacedKeySweep } from '../commands/sessions/passwords/storedPasswordHashes.ts'
import { isUnavailable } from '../domain/failure.ts'
import type { ServiceContext } from './serviceContext.ts'

const firstMs = 60 * 1_000
const everyMs = 60 * 60 * 1_000

/** Signing keys are rotated, old passwords destroyed, and old evidence where the projections run. */
export function startHourlyJobs(context: ServiceContext): { readonly close: () => void } {
  const stop = new AbortController()
  const sweepPasswords = openReplacedKeySweep(context)
  let isExpiring = false
  const expire = async (): Promise<void> => {
    if (isExpiring || !context.projections.leaseStatus().isOwner) return
    isExpiring = true
    await expireEvidence(context, stop.signal).finally(() => {
      isExpiring = false
    })
  }
  const jobs = {
    'Signing keys were not rotated': () => rotateDueSigningKeys(context),
    'Replaced passwords were not destroyed': sweepPasswords,
    'Old evidence was not erased': expire,
  }
  const run = (): void => {
    for (const [undone, work] of Object.entries(jobs)) {
      context.background.run(() => work().catch((err) => warnOfOutage(context, undone, err)))
    }
  }
  const first = setTimeout(run, firstMs).unref()
  const timer = setInterval(run, everyMs).unref()
  return {
    close: () => {
      stop.abort()
      clearTimeout(first)
      clearInterval(timer)
    },
  }
}

/** Throws what is no outage. */
function warnOfOutage({ warn }: Pick<ServiceContext, 'warn'>, undone: string, err: unknown): void {
  if (!isUnavailable(err)) throw err
  warn({ err }, `${undone}: the stores or read models do not answer. The next try is in an hour.`)
}
