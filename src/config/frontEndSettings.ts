/** Reads the settings for front ends: rate limits, daily byte budget, headers of the proxy. */

import { type RateSetting, readRateLimit } from './rateLimits.ts'
import { type Reading, readInteger, type SettingName } from './reading.ts'

export interface FrontEndSettings {
  /** For each SDK key; undefined for the usual rate. */
  readonly keyRate: RateSetting | undefined
  /** For each address of a client; undefined for the usual rate. */
  readonly addressRate: RateSetting | undefined
  /** Bytes that the dispatches of one SDK key may take in a day; undefined for the usual budget. */
  readonly keyBytesPerDay: number | undefined
  /** The header, in lower case, in which the proxy that ends TLS tells the JA4 fingerprint; undefined when none does. */
  readonly ja4Header: string | undefined
  /** The one in which it tells the country that a connection comes from; undefined when none does. */
  readonly countryHeader: string | undefined
}

/** Every mistake is added to those of the reading. */
export function readFrontEnds(reading: Reading): FrontEndSettings {
  return {
    keyRate: readRateLimit(reading, 'VIGIL_SDK_KEY_RATE_LIMIT'),
    addressRate: readRateLimit(reading, 'VIGIL_SDK_ADDRESS_RATE_LIMIT'),
    keyBytesPerDay: readMegabytes(reading),
    ja4Header: readHeader(reading, 'VIGIL_JA4_HEADER'),
    countryHeader: readHeader(reading, 'VIGIL_COUNTRY_HEADER'),
  }
}

function readMegabytes(reading: Reading): number | undefined {
  const bounds = { min: 1, max: 1_000_000, fallback: undefined }
  const megabytes = readInteger(reading, 'VIGIL_SDK_KEY_DAILY_MEGABYTES', bounds)
  return megabytes === undefined ? undefined : megabytes * 1_000_000
}

/** The name of a header that the proxy in front sets, in lower case. */
function readHeader({ text, mistakes }: Reading, name: SettingName): string | undefined {
  const given = text(name)
  if (given === undefined) return undefined
  if (!/^[A-Za-z0-9-]{1,64}$/.test(given)) {
    mistakes.push(`${name} must be the name of a header: letters, digits and hyphens.`)
  }
  if (['0', 'false', undefined].includes(text('TRUST_PROXY')?.toLowerCase())) {
    mistakes.push(
      `${name} needs TRUST_PROXY: without a proxy in front, the header is whatever a client likes to send.`,
    )
  }
  return given.toLowerCase()
}
