/** Formats times as ISO 8601 in UTC, to the millisecond, alone or within a document. */

/** The text of a time in milliseconds since the Unix epoch. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

/** The document with some of its times, kept in milliseconds since the Unix epoch, as texts. */
export type WithIsoTimes<Document, Times> = {
  readonly [Key in keyof Document]: Key extends Times
    ? Exclude<Document[Key], number> | string
    : Document[Key]
}

/** The same with these times as texts, behind the other fields; absent ones stay absent. */
export function withIsoTimes<Document extends object, const Times extends string>(
  document: Document,
  times: readonly Times[],
): WithIsoTimes<Document, Times> {
  const known = { ...document } as Record<string, unknown>
  for (const name of times) {
    const time = known[name]
    delete known[name]
    if (typeof time === 'number') known[name] = isoTime(time)
  }
  return known as WithIsoTimes<Document, Times>
}
