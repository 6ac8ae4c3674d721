/** Finds what an account takes for fraud and for legitimate. */

import type { AccountStreams } from '../../commands/accounts/requireAccess.ts'
import type { LabelClasses } from '../../commands/feedback/setLabelClasses.ts'
import type { Call } from '../../domain/call.ts'
import { defaultLabelClasses, type LabelClass } from '../../domain/evaluation/labelClasses.ts'
import { accountStream } from '../../events/accounts/account.ts'

/** The answer of the account. */
export async function findLabelClasses(context: AccountStreams, call: Call): Promise<LabelClasses> {
  return { classes: await readLabelClasses(context, call.principal.accountId) }
}

/** Those that the account has set, else the default. */
export async function readLabelClasses(
  { accounts }: AccountStreams,
  account: string,
): Promise<readonly LabelClass[]> {
  const { state } = await accounts.catchUp(accountStream(account))
  return state.labelClasses ?? defaultLabelClasses
}
