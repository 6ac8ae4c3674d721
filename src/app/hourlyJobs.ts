/** Starts hourly jobs: rotates signing keys, destroys replaced passwords, expires evidence. */

import { expireEvidence } from '../commands/audit/retention.ts'
import { rotateDueSigningKeys } from '../commands/sessions/apps/signingKeys.ts'
import { openReplacedKeySweep } from '../commands/sessions/passwords/storedPasswordHashes.ts'
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
  const run = (): void => {
    for (const work of [() => rotateDueSigningKeys(context), sweepPasswords, expire]) {
      context.background.run(work)
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
