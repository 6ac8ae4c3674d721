/** Finds what an account takes for fraud and for legitimate. */

import { defaultLabelClasses, type LabelClass } from '../../domain/evaluation/labelClasses.ts'
import { accountStream } from '../../events/accounts/account.ts'
import type { AccountStreams } from '../../state/accounts/requireAccess.ts'

/** The classes that the account has set, else the default. */
export async function findLabelClasses(
  { accounts }: AccountStreams,
  account: string,
): Promise<readonly LabelClass[]> {
  const { state } = await accounts.catchUp(accountStream(account))
  return state.labelClasses ?? defaultLabelClasses
}
