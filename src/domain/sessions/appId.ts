/** Derives and checks application ids (spec 2.10, 4.6) and the parent domain of their hosts. */

import { hash } from 'node:crypto'

/** The pattern of application ids, for a JSON Schema: 7 lower-case letters and digits. */
export const appIdPattern = '^[a-z0-9]{7}$'

const idForm = new RegExp(appIdPattern)

export function isAppId(text: string): boolean {
  return idForm.test(text)
}

/** The id of the application that a command registers, the same however often it is sent. */
export function deriveAppId(command: string): string {
  const digest = hash('sha256', `${command.toLowerCase()}:app:0`, 'hex')
  const number = BigInt(`0x${digest.slice(0, 32)}`) % 36n ** 7n
  return number.toString(36).padStart(7, '0')
}

/** Browsers resolve every name below `localhost` to their own machine. */
export const defaultSessionDomain = 'session.localhost'

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const domainForm = new RegExp(`^(?=.{1,200}$)${label}(?:\\.${label})*$`)

/** Whether the text can be the parent domain of application hosts: a host name in lower case, without a port. */
export function isSessionDomain(text: string): boolean {
  return domainForm.test(text)
}
