/** Selects version events; reads an event's resource id and formats version keys. */

import type { ManagedRulebookEvent } from './managedRulebook.ts'
import type { NamedListEvent } from './namedListEvents.ts'
import type { RulebookEvent } from './rulebook.ts'

export type VersionEvent = Extract<
  RulebookEvent | ManagedRulebookEvent,
  { readonly data: { readonly version_id: string } }
>

/** What becomes of what has versions. */
export type ResourceEvent = Exclude<
  RulebookEvent | ManagedRulebookEvent,
  NamedListEvent | { readonly type: 'ManagedSetInstalled' }
>

/** Whether the event gives a version, or gives it back. */
export function isVersionEvent(event: RulebookEvent | ManagedRulebookEvent): event is VersionEvent {
  return 'version_id' in event.data
}

/** The id of the rule, recipe, flow or list that an event is about. */
export function readResourceId({ data }: ResourceEvent | NamedListEvent): string {
  if ('rule_id' in data) return data.rule_id
  if ('recipe_id' in data) return data.recipe_id
  return 'flow_id' in data ? data.flow_id : data.list_id
}

/** A version by what it is of and its own id: where an event gives it. */
export function formatVersionKey(of: string, versionId: string): string {
  return `${of}/${versionId}`
}
