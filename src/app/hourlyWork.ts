/** Runs background work a minute after the start and every hour, until it is closed. */

import { expireEvidence } from '../commands/audit/retention.ts'
import type { Context } from '../commands/handling/context.ts'
import type { ServiceContext } from './serviceContext.ts'

const firstMs = 60 * 1_000
const everyMs = 60 * 60 * 1_000

export function openHourlyWork(
  { background }: Pick<Context, 'background'>,
  work: () => Promise<void>,
): { readonly close: () => void } {
  const run = (): void => background.run(work)
  const first = setTimeout(run, firstMs).unref()
  const timer = setInterval(run, everyMs).unref()
  return {
    close: () => {
      clearTimeout(first)
      clearInterval(timer)
    },
  }
}

/** Destroys old evidence where the projections run. */
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
