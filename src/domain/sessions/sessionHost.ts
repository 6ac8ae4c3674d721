/** Builds the host names and issuers of applications: `{appId}.{sessionDomain}`. */

/** A browser finds everything below `localhost` on its own machine. */
export const usualSessionDomain = 'session.localhost'

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const form = new RegExp(`^(?=.{1,200}$)${label}(?:\\.${label})*$`)

/** Whether the text can be the parent domain of application hosts: a host name in lower case, without a port. */
export function isSessionDomain(text: string): boolean {
  return form.test(text)
}

/** The address of an application's host, the issuer of its tokens. */
export function sessionIssuer(appId: string, sessionDomain: string): string {
  return `https://${appId}.${sessionDomain}`
}
