/** Reads a header set by a trusted proxy, and ignores it when it was sent twice. */

import type { IncomingMessage } from 'node:http'
import { countHeader } from './countHeader.ts'

/** The header's value; `name` in lower case. Undefined when it was sent twice, since only one of the two is the proxy's. */
export function onlyOne(
  { rawHeaders, headers }: IncomingMessage,
  name: string,
): string | undefined {
  const value = headers[name]
  return countHeader(rawHeaders, name) === 1 && typeof value === 'string' ? value : undefined
}
