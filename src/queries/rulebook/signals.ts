/** Lists the names that rules can read. */

import { type AccountStreams, assertAuthoring } from '../../commands/accounts/assertAccess.ts'
import type { Call } from '../../domain/call.ts'
import { extNames, type ReadableName, readableNames } from '../../engine/language/names.ts'

/** A name that a rule can read, or, for callers' own, the form of such names. */
export interface SignalView extends Omit<ReadableName, 'needsDispatch'> {
  readonly needs_dispatch: boolean
}

const signals: readonly SignalView[] = [...readableNames, extNames].map(
  ({ needsDispatch, ...name }) => ({ ...name, needs_dispatch: needsDispatch }),
)

/** Every name, in the order of the guide. Throws `access_not_enabled`. */
export async function listSignals(
  context: AccountStreams,
  call: Call,
): Promise<readonly SignalView[]> {
  await assertAuthoring(context, call)
  return signals
}
