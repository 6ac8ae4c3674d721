/** Declares the device of a session, as callers describe it, and normalizes it (spec 2.9). */

import { type ObjectOf, optional } from '../jsonSchema.ts'

const deviceText = optional({ type: 'string', maxLength: 128 })

/** The fields of a device that callers may give. */
export const sessionDeviceFields = {
  device_type: optional({
    type: 'string',
    pattern: '^(?:[A-Za-z][A-Za-z0-9_]{0,31})?$',
    description: 'Such as `IOS`; shown in upper case.',
  }),
  device_model: deviceText,
  os_version: deviceText,
  country_code: optional({
    type: 'string',
    pattern: '^(?:[A-Za-z]{2})?$',
    description: 'Two letters; shown in upper case.',
  }),
}
export type SessionDeviceInput = ObjectOf<typeof sessionDeviceFields>

/** Type and country are in upper case; unknown fields are empty texts. */
export type SessionDevice = Required<SessionDeviceInput>

/** No control characters, no lone surrogates. */
const visible = /^[^\p{C}\p{Zl}\p{Zp}]*$/u

/** The fields of the input with invisible characters. */
export function invisibleTextFields(input: SessionDeviceInput): readonly string[] {
  return Object.entries(normalizeSessionDevice(input)).flatMap(([name, text]) =>
    visible.test(text) ? [] : [name],
  )
}

/** The device in the form in which it is stored; omitted fields are empty, and others are left out. */
export function normalizeSessionDevice({
  device_type = '',
  device_model = '',
  os_version = '',
  country_code = '',
}: SessionDeviceInput): SessionDevice {
  return {
    device_type: device_type.toUpperCase(),
    device_model,
    os_version,
    country_code: country_code.toUpperCase(),
  }
}
