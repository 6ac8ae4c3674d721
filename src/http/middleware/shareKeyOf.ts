import type { Context } from '../request/context.ts'

/** Whose share it is: an account's, whatever its tokens; the operator's; undefined for anyone. */
export function shareKeyOf({ state: { principal } }: Context): string | undefined {
  return principal?.kind === 'account' ? principal.accountId : principal?.kind
}
