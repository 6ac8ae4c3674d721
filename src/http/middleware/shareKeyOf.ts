import type { Context } from '../request/context.ts'

/**
 * Whose share it is: an account's, whatever its tokens; that of the users of its applications, or of its front ends, which anyone can be; the
 * operator's; undefined for anyone.
 */
export function shareKeyOf({ state: { principal, app } }: Context): string | undefined {
  if (app) return `users of ${app.account}`
  if (principal?.kind === 'front_end') return `front ends of ${principal.accountId}`
  return principal?.kind === 'account' ? principal.accountId : principal?.kind
}
