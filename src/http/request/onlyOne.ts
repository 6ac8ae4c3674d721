/** Headers that a proxy sets, and nobody else is to be believed about. */

import type { IncomingMessage } from 'node:http'

/** The header's value, its name in lower case; undefined when it stands there twice, since one of the two is not the proxy's. */
export function onlyOne(
  { rawHeaders, headers }: IncomingMessage,
  name: string,
): string | undefined {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) count += 1
  }
  const value = headers[name]
  return count === 1 && typeof value === 'string' ? value : undefined
}
