/** Reads a header set by a trusted proxy, and ignores it when it was sent twice. */

import type { IncomingMessage } from 'node:http'
import { countHeader } from './countHeader.ts'

/** The header's value, its name in lower case; undefined when it stands there twice, since one of the two is not the proxy's. */
export function onlyOne(
  { rawHeaders, headers }: IncomingMessage,
  name: string,
): string | undefined {
  const value = headers[name]
  return countHeader(rawHeaders, name) === 1 && typeof value === 'string' ? value : undefined
}
