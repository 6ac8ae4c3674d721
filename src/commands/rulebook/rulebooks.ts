/** What decides about recipes and flows: both rulebooks that they may name. */

import type { ManagedRulebook } from '../../events/rulebook/managedRulebook.ts'
import type { RulebookState } from '../../events/rulebook/rulebook.ts'

/** An account's rulebook and the operator's. */
export interface Rulebooks {
  readonly own: RulebookState
  readonly managed: ManagedRulebook
}
