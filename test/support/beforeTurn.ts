/** Something that happens just before an instance decides about a stream, once. */

import type { Instance } from './openTwoInstances.ts'

/** Runs the work before the next turn of the stream. */
export function beforeTurn(
  { context: { streamQueue } }: Instance,
  stream: string,
  work: () => Promise<unknown>,
): void {
  const { run } = streamQueue
  let isDone = false
  Object.assign(streamQueue, {
    run: async (key: string, decide: () => Promise<unknown>) => {
      if (key === stream && !isDone) {
        isDone = true
        await work()
      }
      return run(key, decide)
    },
  })
}
