/** What rules can read, for those who write them. */

import { extNames, readableNames } from '../../engine/language/names.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { RulebookPart, SignalView } from './rulebookPart.ts'
import { assertAuthoring } from './rulebooks.ts'

const signals: readonly SignalView[] = [...readableNames, extNames].map(
  ({ needsDispatch, ...name }) => ({ ...name, needs_dispatch: needsDispatch }),
)

/** Every name, in the order of the guide. Throws `access_not_enabled`. */
export function openListSignals(context: ServiceContext): RulebookPart['listSignals'] {
  return async (call) => {
    await assertAuthoring(context, call)
    return signals
  }
}
