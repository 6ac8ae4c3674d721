/** Gives a rulebook in memory the versions that its recipes pin and that it had forgotten. */

import {
  type RulebookState,
  type RuleVersion,
  ruleVersionOf,
} from '../../events/rulebook/rulebook.ts'
import { supplyVersions } from '../../events/rulebook/trimRulebook.ts'
import { findVersions, type VersionLog } from './findVersions.ts'

/** Reads them from the log; what is not there is not asked for again, and the rules that run it are unavailable. */
export async function completeRulebook(
  log: VersionLog,
  stream: string,
  state: RulebookState,
): Promise<void> {
  const wanted = [...state.lacking]
  if (wanted.length === 0) return
  const found = new Map<string, RuleVersion>()
  for (const [key, event] of await findVersions(log, { stream, keys: wanted, thorough: true })) {
    if (event.type === 'RulePublished' || event.type === 'RuleRestored') {
      found.set(key, ruleVersionOf(event.data))
    }
  }
  supplyVersions(state, wanted, found)
}
