/** Functions of the domain: networks, mail domains, phone countries. */

import { emailDomain } from '../values/emailDomain.ts'
import { type IpNumber, type IpRange, inRanges, ipNumber, ipRange } from '../values/ipRange.ts'
import { phoneCountry } from '../values/phoneCountry.ts'
import type { Value } from '../values/value.ts'
import { type Operation, operation, type Prepared } from './operation.ts'

/** Parsing an address or a number costs about this many steps. */
const addressSteps = 100
const phoneSteps = 4000

const cidr = { fails: true, literalOnly: true, prepare: prepareCidr }

export const domainFunctions: readonly Operation[] = [
  operation('inCidr(string, string): bool', () => undefined, { ...cidr, id: 'inCidr' }),
  operation('inCidr(string, list<string>): bool', () => undefined, { ...cidr, id: 'inCidr' }),
  operation('emailDomain(string): string', emailDomain, {
    fails: true,
    shared: true,
    steps: () => addressSteps,
    chars: (size) => size,
  }),
  operation('phoneCountry(string): string', phoneCountry, {
    fails: true,
    shared: true,
    steps: () => phoneSteps,
  }),
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
    steps: () => addressSteps + ranges.length * 4,
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
