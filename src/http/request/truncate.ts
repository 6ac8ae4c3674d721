/** Truncates caller-supplied text before it is echoed. */

// what is left of a character that was cut in two
const lonePart = /[\ud800-\udbff]$/

/** Returns the text, cut to the maximum length with an ellipsis. */
export function truncate(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).replace(lonePart, '')}…`
}
