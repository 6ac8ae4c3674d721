/** Hears SIGTERM and SIGINT: the first stops the process in order, a second ends it at once. */

/** Time limit for requests in progress to end once the service stops. */
export const stopTimeoutMs = 20_000

/** npm sends its own copy of the Ctrl-C that the terminal has sent to everybody. */
const repeatedMs = 1_000

/** Aborted by the first signal; its reason is an `Error` whose message names it. `nowMs` never goes back. */
export function stopOnSignals(
  process: Pick<NodeJS.Process, 'on' | 'exit'>,
  nowMs: () => number,
): AbortSignal {
  const stopping = new AbortController()
  let first: { readonly signal: NodeJS.Signals; readonly atMs: number } | undefined
  const hear = (signal: NodeJS.Signals): void => {
    const atMs = nowMs()
    if (first) {
      if (signal !== first.signal || atMs - first.atMs >= repeatedMs) process.exit(1)
      return
    }
    first = { signal, atMs }
    stopping.abort(new Error(signal))
  }
  process.on('SIGTERM', hear).on('SIGINT', hear)
  return stopping.signal
}
