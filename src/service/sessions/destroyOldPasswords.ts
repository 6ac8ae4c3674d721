/** Keys of passwords that a change could not destroy: its process ended in between, or the key store was away. */

import { type ChangedPassword, findChangedPasswords } from '../../queries/sessions/passwordKeys.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/** When it is looked for them, after the start and then again. */
const firstMs = 60 * 1_000
const everyMs = 60 * 60 * 1_000
/** How far back at the start: as long as an installation may have stood still. */
const startBackMs = 30 * 24 * everyMs
/** How far before the last look: instances do not have the same time, and what has just changed is still being destroyed. */
const marginMs = everyMs
/** How long a look waits for the read models. */
const knownMs = 10_000
/** Users looked at in one page. */
const pageMax = 100

/**
 * Destroys what is left of the keys of passwords that were replaced since, for good. Any number of instances may do it at once. Throws what
 * the stores throw.
 */
export async function destroyOldPasswords(context: ServiceContext, sinceMs: number): Promise<void> {
  let after: ChangedPassword | undefined
  for (;;) {
    const found = await findChangedPasswords(context, { sinceMs, limit: pageMax, after })
    await destroyLeft(context, found)
    after = found.at(-1)
    if (found.length < pageMax) return
  }
}

async function destroyLeft(
  { keyring, clock }: Pick<ServiceContext, 'keyring' | 'clock'>,
  found: readonly ChangedPassword[],
): Promise<void> {
  const keys = found.flatMap(({ earlier }) => earlier)
  if (keys.length === 0) return
  const states = await keyring.keys(keys.map(({ key }) => key))
  for (const { key } of keys) {
    if (states.get(key) !== 'destroyed') await keyring.destroy([key], clock.nowMs())
  }
}

/** Looks a minute after the start, and every hour, until it is closed. */
export function openPasswordSweep(context: ServiceContext): { readonly close: () => void } {
  const look = openLooks(context)
  const sweep = (): void => context.background.run(look)
  const first = setTimeout(sweep, firstMs).unref()
  const timer = setInterval(sweep, everyMs).unref()
  return {
    close: () => {
      clearTimeout(first)
      clearInterval(timer)
    },
  }
}

/**
 * Destroys what is left since a while before the last look that has seen and destroyed everything: where the key store or the read models
 * are away, the next one makes up for it. Throws what the stores throw.
 */
export function openLooks(context: ServiceContext): () => Promise<void> {
  let sinceMs = context.clock.nowMs() - startBackMs
  return async () => {
    const beganMs = context.clock.nowMs()
    const isKnown = await context.projections.waitFor(await context.events.head(), knownMs)
    await destroyOldPasswords(context, sinceMs)
    if (isKnown) sinceMs = Math.max(sinceMs, beganMs - marginMs)
  }
}
