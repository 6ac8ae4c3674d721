/** Counts duplicate headers, which Node drops or joins, and reads a header sent exactly once. */

import type { IncomingMessage } from 'node:http'

/** `name` in lower case; `rawHeaders` alternates names and values, as Node provides them. */
export function countHeaderLines(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ''
    if (sent.length === name.length && sent.toLowerCase() === name) count += 1
  }
  return count
}

/** The value of a header that a trusted proxy sets; `name` in lower case. Undefined when it was sent twice, since only one of the two is the proxy's. */
export function readSingleHeader(
  { rawHeaders, headers }: IncomingMessage,
  name: string,
): string | undefined {
  const value = headers[name]
  return countHeaderLines(rawHeaders, name) === 1 && typeof value === 'string' ? value : undefined
}
