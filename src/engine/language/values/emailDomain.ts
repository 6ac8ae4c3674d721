/** The domain of an email address, by the address's text alone. */

import { lowerAscii } from './text.ts'

const domainForm =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const addressMax = 320
const domainMax = 253

/** What stands behind the last `@`, in lower case; undefined when the text is not an address with a domain in ASCII. */
export function emailDomain(address: string): string | undefined {
  if (address.length > addressMax) return undefined
  const at = address.lastIndexOf('@')
  if (at < 1 || address.length - at - 1 > domainMax) return undefined
  const domain = lowerAscii(address.slice(at + 1))
  return domainForm.test(domain) ? domain : undefined
}
