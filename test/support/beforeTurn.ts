/** Something that happens just before an instance decides about a stream, once. */

import type { Instance } from './openTwoInstances.ts'

/** Runs the work before the next turn of the stream. */
export function beforeTurn(
  { context: { turns } }: Instance,
  stream: string,
  work: () => Promise<unknown>,
): void {
  const { take } = turns
  let isDone = false
  Object.assign(turns, {
    take: async (key: string, decide: () => Promise<unknown>) => {
      if (key === stream && !isDone) {
        isDone = true
        await work()
      }
      return take(key, decide)
    },
  })
}
