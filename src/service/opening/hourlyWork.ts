/** Runs work a minute after the start and every hour, until it is closed. */

import type { Context } from '../../commands/handling/context.ts'

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
