/** Times as callers write them. */

const isoPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/** Milliseconds since the Unix epoch of a time in ISO 8601 with a zone; undefined when it is none. */
export function isoTimeMs(text: string): number | undefined {
  const timeMs = isoPattern.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(timeMs) || timeMs < 0 ? undefined : timeMs
}
