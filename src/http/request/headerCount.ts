/** Counts how often a header was sent, which Node's joined or dropped values do not tell. */

/** `name` in lower case; `rawHeaders` alternates names and values, as Node provides them. */
export function countHeaderLines(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ''
    if (sent.length === name.length && sent.toLowerCase() === name) count += 1
  }
  return count
}
