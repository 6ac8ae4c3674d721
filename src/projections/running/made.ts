/** Records on documents the position of their first event, by which lists are sorted. */

/** The position as a field of a document. */
export interface Made {
  /** Position in the log of the event that made the thing. Absent from documents of older versions. */
  readonly made: number
}

/** The field after one more event: a changed document keeps its position. */
export function madeAt(document: Made | undefined, position: number): Made {
  return { made: document?.made ?? position }
}
