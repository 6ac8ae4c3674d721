import type { Context } from '../request/context.ts'

/** Whose share it is: an account's, whatever its tokens; that of its front ends, which anyone can be; the operator's; undefined for anyone. */
export function shareKeyOf({ state: { principal } }: Context): string | undefined {
  if (principal?.kind === 'front_end') return `front ends of ${principal.accountId}`
  return principal?.kind === 'account' ? principal.accountId : principal?.kind
}
