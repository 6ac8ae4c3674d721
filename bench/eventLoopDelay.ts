/**
 * How long the event loop of a started service was delayed, as its open metrics say it: ten milliseconds too much,
 * which is how often it is looked at.
 */

/** In milliseconds, since it was asked last. */
export async function eventLoopDelayMs(port: number, which: 'p99' | 'max'): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const found = new RegExp(`^nodejs_eventloop_lag_${which}_seconds (\\S+)`, 'm').exec(text)
  return Number(found?.[1]) * 1_000
}
