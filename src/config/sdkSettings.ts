/** Reads SDK settings: rate limits, daily byte budget, proxy headers for JA4 and country. */

import {
  type RateSetting,
  readInteger,
  readRateLimit,
  type SettingName,
  type SettingReader,
} from './settingReaders.ts'

export interface SdkSettings {
  /** For each SDK key; undefined for the default rate. */
  readonly keyRate: RateSetting | undefined
  /** For each address of a client; undefined for the default rate. */
  readonly addressRate: RateSetting | undefined
  /** Bytes that the dispatches of one SDK key may take in a day; undefined for the default budget. */
  readonly keyBytesPerDay: number | undefined
  /** Header, in lower case, in which the proxy that ends TLS sends the JA4 fingerprint. */
  readonly ja4Header: string | undefined
  /** Header in which the proxy sends the country of the connection. */
  readonly countryHeader: string | undefined
}

/** Reads the settings; mistakes are added to those of the reading. */
export function readSdkSettings(reading: SettingReader): SdkSettings {
  return {
    keyRate: readRateLimit(reading, 'VIGIL_SDK_KEY_RATE_LIMIT'),
    addressRate: readRateLimit(reading, 'VIGIL_SDK_ADDRESS_RATE_LIMIT'),
    keyBytesPerDay: readInteger(reading, 'VIGIL_SDK_KEY_DAILY_MEGABYTES', megabytes),
    ja4Header: readHeader(reading, 'VIGIL_JA4_HEADER'),
    countryHeader: readHeader(reading, 'VIGIL_COUNTRY_HEADER'),
  }
}

const megabytes = { min: 1, max: 1_000_000, fallback: undefined, unit: 1_000_000 }

/** The name of a header that the proxy in front sets, in lower case. */
function readHeader({ text, mistakes }: SettingReader, name: SettingName): string | undefined {
  const given = text(name)
  if (given === undefined) return undefined
  if (!/^[A-Za-z0-9-]{1,64}$/.test(given)) {
    mistakes.push(`${name} must be the name of a header: letters, digits and hyphens.`)
  }
  if (['0', 'false', undefined].includes(text('TRUST_PROXY')?.toLowerCase())) {
    mistakes.push(
      `${name} needs TRUST_PROXY: without a proxy in front, a client can send any value in this header.`,
    )
  }
  return given.toLowerCase()
}
