/** Reads the country of a user's connection from the header of a trusted proxy (spec 2.9). */

import type { IncomingMessage } from 'node:http'
import { readSingleHeader } from '../request/singleHeader.ts'

export interface CountrySource {
  /** Proxies in front of the service whose headers are believed. */
  readonly trustedProxies: number
  /** The header in which one of them tells the country, in lower case; none does unless given. */
  readonly countryHeader?: string | undefined
}

const country = /^[A-Za-z]{2}$/
/** Codes that proxies send for an unknown country (not assigned in ISO 3166). */
const unknown = ['XX', 'ZZ']

/** Two upper-case letters; undefined without a trusted header. */
export function readConnectionCountry(
  req: IncomingMessage,
  { trustedProxies, countryHeader }: CountrySource,
): string | undefined {
  if (countryHeader === undefined || trustedProxies === 0) return undefined
  const told = readSingleHeader(req, countryHeader)?.trim().toUpperCase()
  if (told === undefined || !country.test(told) || unknown.includes(told)) return undefined
  return told
}
