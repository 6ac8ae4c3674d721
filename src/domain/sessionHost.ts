/** Hosts of applications: `{appId}.{sessionDomain}`. */

/** A browser finds everything below `localhost` on its own machine. */
export const usualSessionDomain = 'session.localhost'

const form =
  /^(?=.{1,200}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** Whether hosts of applications can stand below it: a host name in lower case, without a port. */
export function isSessionDomain(text: string): boolean {
  return form.test(text)
}
