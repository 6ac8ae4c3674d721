/** Finds the customer recipes that use a managed rule or recipe, and its versions in memory. */

import {
  inForce,
  type ManagedEntry,
  type ManagedRulebook,
} from '../../../events/rulebook/managedRulebook.ts'
import { managedStream } from '../../../events/rulebook/rulebook.ts'
import type { KeptVersions } from '../resources.ts'
import type { RulebookContext } from '../rulebookStreams.ts'

/** Users that a refusal to delete names. */
const usersMax = 100

/**
 * The recipes of customers that use the rule or recipe, as of now: everything written before this question is read. One that is saved
 * between the question and the deletion finds its rule unavailable (docs/decisions).
 */
export async function managedUsers(
  context: RulebookContext,
  current: (state: ManagedRulebook) => object | undefined,
  id: string,
): Promise<readonly string[]> {
  const { state } = await context.managed.catchUp(managedStream)
  return current(state) ? context.findManagedUsers(id, usersMax) : []
}

/** The versions of something managed; none is current once it is retired. */
export function keptVersions<Version>(
  entries: ReadonlyMap<string, ManagedEntry<Version>>,
  id: string,
): KeptVersions<Version> {
  return { current: inForce(entries, id), versions: entries.get(id)?.versions ?? new Map() }
}
