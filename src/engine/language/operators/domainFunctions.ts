/** Functions of the domain: networks, mail domains, phone countries. */

import { emailDomain } from '../values/emailDomain.ts'
import { type IpNumber, type IpRange, inRanges, ipNumber, ipRange } from '../values/ipRange.ts'
import { phoneCountry } from '../values/phoneCountry.ts'
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
