/** Formats times: ISO 8601 in UTC, to the millisecond. */

/** The text of a time in milliseconds since the Unix epoch. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

/** The document with some of its times, kept in milliseconds since the Unix epoch, as texts. */
export type WithIsoTimes<Document, Times extends keyof Document> = {
  readonly [Key in keyof Document]: Key extends Times ? string : Document[Key]
}
