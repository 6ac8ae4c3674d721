/** Keys of passwords that a change could not destroy: its process ended in between, or the key store was away. */

import { type ChangedPassword, findChangedPasswords } from '../../queries/sessions/passwordKeys.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'

/** When it is looked for them, after the start and then again. */
const firstMs = 60 * 1_000
const everyMs = 60 * 60 * 1_000
/** How far back: at the start as long as an installation may have stood still, then a little longer than since the last time. */
const startBackMs = 30 * 24 * everyMs
const backMs = 2 * everyMs
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
  for (const { subject, key } of keys) {
    if (states.get(key) !== 'destroyed') await keyring.destroy(subject, [key], clock.nowMs())
  }
}

/** Looks a minute after the start, and every hour, until it is closed. */
export function openPasswordSweep(context: ServiceContext): { readonly close: () => void } {
  const sweep = (back: number): void =>
    context.background.run(() => destroyOldPasswords(context, context.clock.nowMs() - back))
  const first = setTimeout(() => sweep(startBackMs), firstMs).unref()
  const timer = setInterval(() => sweep(backMs), everyMs).unref()
  return {
    close: () => {
      clearTimeout(first)
      clearInterval(timer)
    },
  }
}
