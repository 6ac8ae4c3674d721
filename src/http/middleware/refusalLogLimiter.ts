/** Limits logged refusals per code and second, and logs how many were left out. */

import type { FailureCode } from '../../domain/failure.ts'
import type { Logger } from '../../log.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'
import type { clientLeftCode } from '../request/runWhenClosed.ts'

export type RefusalCode = FailureCode | typeof clientLeftCode

interface RefusalLinesOptions {
  readonly logger: Logger
  readonly meter: Pick<Metrics['requests'], 'countUnlogged'>
  /** Lines for each code in a second, so that a flood of one hides no other; 50 unless given. */
  readonly linesPerSecond?: number | undefined
  /** Calls back after so many milliseconds. */
  readonly after?: (ms: number, work: () => void) => void
}

const secondMs = 1_000

/**
 * Returns, for each refusal, whether to log it: up to `linesPerSecond` of each code per second. The rest is counted, and logged as one
 * entry per code when the second is over. Unexpected errors (`internal`) are always logged.
 */
export function openRefusalLogLimiter(
  options: RefusalLinesOptions,
): (code: RefusalCode) => boolean {
  const { logger, meter, linesPerSecond = 50, after = afterMs } = options
  let counts = new Map<RefusalCode, number>()

  const endSecond = (): void => {
    for (const [code, count] of counts) {
      const leftOut = count - linesPerSecond
      if (leftOut > 0) logger.warn({ code, left_out: leftOut }, 'refused requests without a line')
    }
    counts = new Map()
  }

  return (code) => {
    if (code === 'internal') return true
    if (counts.size === 0) after(secondMs, endSecond)
    const count = (counts.get(code) ?? 0) + 1
    counts.set(code, count)
    if (count <= linesPerSecond) return true
    meter.countUnlogged(code)
    return false
  }
}

function afterMs(ms: number, work: () => void): void {
  setTimeout(work, ms).unref()
}
