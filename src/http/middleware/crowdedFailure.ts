/** What is answered when there is no room. */

import { Failure } from '../../domain/failure.ts'
import type { Crowded } from '../../domain/shares.ts'
import type { Metrics } from '../../metrics/openMetrics.ts'

const retryAfterSeconds = 1

/** What there is no room for, under the reasons by which refusals are counted. */
export type CrowdedBy = 'account_busy' | 'bodies' | 'positions' | 'unread'

const sentences: Readonly<Record<CrowdedBy, string>> = {
  account_busy: 'The account has too many requests in progress',
  bodies: 'The account is sending too much at once',
  positions: 'The account has too many requests that wait for a position',
  unread: 'The account has too many answers that it does not read',
}

/**
 * Counts the refusal and throws it: `rate_limited` when the account has its share, `unavailable` when all together have all there is.
 * Nothing happens without a reason.
 */
export function refuseCrowded(meter: Metrics['requests'], by: CrowdedBy, why: Crowded): never
export function refuseCrowded(
  meter: Metrics['requests'],
  by: CrowdedBy,
  why: Crowded | undefined,
): void
export function refuseCrowded(
  meter: Metrics['requests'],
  by: CrowdedBy,
  why: Crowded | undefined,
): void {
  if (why === undefined) return
  meter.refused(why === 'share' ? by : 'busy')
  throw why === 'share'
    ? new Failure('rate_limited', `${sentences[by]}; try again later.`, { retryAfterSeconds })
    : new Failure('unavailable', 'The service is busy; try again.', { retryAfterSeconds })
}
