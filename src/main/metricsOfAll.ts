/** What a worker answers to who asks for the metrics. */

import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics/openMetrics.ts'
import type { Lender } from '../service/opening/joinStores.ts'

/** How long the sum is waited for: longer than the first process waits for its workers and stores, shorter than a scrape. */
const answerMs = 4_000

interface Sources {
  readonly lender: Lender
  /** What this worker counts and sees. */
  readonly own: Pick<Metrics, 'stateText'>
  readonly logger: Pick<Logger, 'warn'>
}

/**
 * The sum of all processes, which the first one makes; when there is none in time, how this worker sees the stores and projections, and
 * no counts: those of one process would read as if the sums had been set back. Never rejects.
 */
export function metricsOfAll({ lender, own, logger }: Sources): () => Promise<string> {
  return async () => {
    // why stands in the log already
    if (lender.isSilent()) return own.stateText()
    try {
      return (await lender.line.ask('metrics', undefined, answerMs)) as string
    } catch (err) {
      logger.warn({ err }, 'The counts of all processes are not to be had; there are none.')
      return own.stateText()
    }
  }
}
