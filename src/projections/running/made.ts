/** Records on documents the position of their first event, by which lists are sorted. */

/** What a document says of it. */
export interface Made {
  /** Position in the log of the event that made the thing. Absent from documents of older versions. */
  readonly made: number
}

/** What the document of a thing says of it after one more of its events: what is changed keeps its place. */
export function madeAt(document: Made | undefined, position: number): Made {
  return { made: document?.made ?? position }
}
