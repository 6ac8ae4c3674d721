/** Derives and checks application ids: 7 lower-case letters and digits (spec 2.10, 4.6). */

import { hash } from 'node:crypto'

const length = 7
const form = /^[a-z0-9]{7}$/

/** The pattern of application ids, for a JSON Schema. */
export const appIdPattern = '^[a-z0-9]{7}$'

/** Whether the text has the form of an application id. */
export function isAppId(text: string): boolean {
  return form.test(text)
}

/** The id that a command gives to the application it registers; of each attempt another one, should the one before be taken. */
export function derivedAppId(command: string, attempt: number): string {
  const digest = hash('sha256', `${command.toLowerCase()}:app:${attempt}`, 'hex')
  const number = BigInt(`0x${digest.slice(0, 32)}`) % 36n ** BigInt(length)
  return number.toString(36).padStart(length, '0')
}
