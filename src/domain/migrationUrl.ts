/** The URL where a customer validates legacy sessions (spec 2.10): what it must be, so that asking it harms nobody. */

import { mayCall, type PrivateHost } from './outboundHost.ts'

/** In characters. */
export const migrationUrlMax = 2_048

/** `URL` passes over any slashes before the host, and takes what follows for it. */
const form = /^https:\/\/(?!\/)[^\s\\\p{Cc}\p{Surrogate}]+$/iu

/** What is wrong with the URL, in a sentence; undefined when nothing is. `allowed` are hosts that need not be public. */
export function migrationUrlProblem(
  text: string,
  allowed: readonly PrivateHost[],
): string | undefined {
  if (text.length > migrationUrlMax) return `Must be at most ${migrationUrlMax} characters long.`
  if (!form.test(text) || !URL.canParse(text)) return 'Must be an HTTPS URL.'
  const { hostname, port, username, password } = new URL(text)
  const [authority = ''] = text.slice('https://'.length).split(/[/?#]/, 1)
  if (username || password || authority.includes('@')) {
    return 'Must have no user name and no password.'
  }
  if (text.includes('#')) return 'Must have no fragment: it would never be sent.'
  if (port === '0') return 'Must have a port from 1 to 65535, or none.'
  if (!mayCall(hostname, allowed)) return 'Must name a host of the public Internet.'
  return undefined
}
