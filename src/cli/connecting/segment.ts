/** Puts an argument into a path of the API. */

import { usageError } from '../terminal/cliError.ts'

/** The text as one segment of a path. Throws `usage` for what is none: an empty text, `.` and `..`. */
export function segment(text: string): string {
  if (text !== '' && text !== '.' && text !== '..') return encodeURIComponent(text)
  throw usageError(`"${text}" is not an id.`)
}
