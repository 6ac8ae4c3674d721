/** Defines `inCidr`, `emailDomain` and `phoneCountry`. */

import { phoneCountry as countryOf } from '../../../domain/evaluation/phone.ts'
import { type IpNumber, type IpRange, inRanges, ipNumber, ipRange } from '../values/ipRange.ts'
import { lowerAscii } from '../values/text.ts'
import type { Value } from '../values/value.ts'
import { type Operation, operation, type Prepared } from './operation.ts'

const ofAddress = { fails: true, shared: true, chars: (size: number) => size }
const cidr = { fails: true, literalOnly: true, prepare: prepareCidr }

export const domainFunctions: readonly Operation[] = [
  operation('inCidr(string, string): bool', () => undefined, { ...cidr, id: 'inCidr' }),
  operation('inCidr(string, list<string>): bool', () => undefined, { ...cidr, id: 'inCidr' }),
  operation('emailDomain(string): string', emailDomain, ofAddress),
  operation('phoneCountry(string): string', phoneCountry, { fails: true, shared: true }),
]

function prepareCidr(literal: Value): Prepared | string {
  const networks = Array.isArray(literal) ? (literal as readonly string[]) : [literal as string]
  const ranges: IpRange[] = []
  for (const network of networks) {
    const range = ipRange(network)
    if (typeof range === 'string') return range
    ranges.push(range)
  }
  return {
    apply: (text) => {
      const ip = ipOf(text as string)
      return ip === undefined ? undefined : inRanges(ip, ranges)
    },
    size: ranges.length,
  }
}

// many rules ask about the one address of a request
let lastText = ''
let lastIp: IpNumber | undefined

function ipOf(text: string): IpNumber | undefined {
  if (text !== lastText) {
    lastIp = ipNumber(text)
    lastText = text
  }
  return lastIp
}

const domainForm =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const addressMax = 320
const domainMax = 253

/** The text after the last `@`, in lower case; undefined unless the text is an address with a domain in ASCII. */
export function emailDomain(address: string): string | undefined {
  if (address.length > addressMax) return undefined
  const at = address.lastIndexOf('@')
  if (at < 1 || address.length - at - 1 > domainMax) return undefined
  const domain = lowerAscii(address.slice(at + 1))
  return domainForm.test(domain) ? domain : undefined
}

/** The ISO 3166 code of an E.164 number's country; undefined when the text is not such a number or belongs to no one country. */
export function phoneCountry(number: string): string | undefined {
  return /^\+[1-9][0-9]{1,14}$/.test(number) ? countryOf(number) : undefined
}
