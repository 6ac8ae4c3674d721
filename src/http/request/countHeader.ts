/** Counts how often a header was sent, since Node silently drops or joins duplicates. */

/** `name` in lower case; `rawHeaders` alternates names and values, as Node provides them. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ''
    if (sent.length === name.length && sent.toLowerCase() === name) count += 1
  }
  return count
}
