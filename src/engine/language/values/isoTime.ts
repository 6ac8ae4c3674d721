/** Parses ISO 8601 times of callers; seconds are optional. */

import { timestampOfText } from './time.ts'

const withoutSeconds = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(Z|[+-]\d\d:\d\d)$/

/**
 * Milliseconds since the Unix epoch of a time in ISO 8601 with a zone, its seconds optional; undefined when it is none, which a day
 * that its month does not have is not either, and when it lies before the epoch.
 */
export function isoTimeMs(text: string): number | undefined {
  const timeMs = timestampOfText(text.replace(withoutSeconds, '$1:00$2'))
  return timeMs === undefined || timeMs < 0 ? undefined : timeMs
}
