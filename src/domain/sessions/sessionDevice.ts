/** Normalizes the device of a session, as callers describe it (spec 2.9). */

/** Unknown fields are empty texts. */
export interface SessionDevice {
  /** In upper case: `IOS`. */
  readonly device_type: string
  readonly device_model: string
  readonly os_version: string
  /** Two upper-case letters. */
  readonly country_code: string
}

export type SessionDeviceInput = Partial<SessionDevice>

/** The patterns of the fields, for a JSON Schema. */
export const deviceTypePattern = '^(?:[A-Za-z][A-Za-z0-9_]{0,31})?$'
export const countryPattern = '^(?:[A-Za-z]{2})?$'
export const deviceTextMax = 128

const device = { device_type: '', device_model: '', os_version: '', country_code: '' }

/** No control characters, no lone surrogates. */
const visible = /^[^\p{C}\p{Zl}\p{Zp}]*$/u

/** The fields of the input with invisible characters. */
export function invisibleTextFields(input: SessionDeviceInput): readonly string[] {
  return Object.entries({ ...device, ...input }).flatMap(([name, text]) =>
    visible.test(text) ? [] : [name],
  )
}

/** The device in the form in which it is stored; omitted fields are empty. */
export function normalizeSessionDevice(input: SessionDeviceInput): SessionDevice {
  const { device_type, country_code, ...texts } = { ...device, ...input }
  return {
    device_type: device_type.toUpperCase(),
    ...texts,
    country_code: country_code.toUpperCase(),
  }
}
