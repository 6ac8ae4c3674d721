/** Destroys old evidence every hour where the projections run, until it is closed. */

import { expireEvidence } from '../../commands/audit/retention.ts'
import { openHourlyWork } from './hourlyWork.ts'
import type { ServiceContext } from './serviceContext.ts'

export function openRetentionSweep(context: ServiceContext): { readonly close: () => void } {
  const stop = new AbortController()
  let isUnderWay = false
  const { close } = openHourlyWork(context, async () => {
    if (isUnderWay || !context.projections.holding().held) return
    isUnderWay = true
    await expireEvidence(context, stop.signal).finally(() => {
      isUnderWay = false
    })
  })
  return {
    close: () => {
      stop.abort()
      close()
    },
  }
}
