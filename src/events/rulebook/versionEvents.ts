/** Selects version events; reads an event's resource id and formats version keys. */

import type { ManagedEvent } from './managedRulebook.ts'
import type { NamedListEvent } from './namedListEvents.ts'
import type { RulebookEvent } from './rulebook.ts'

export type VersionEvent = Extract<
  RulebookEvent | ManagedEvent,
  { readonly data: { readonly version_id: string } }
>

/** What becomes of what has versions. */
export type ResourceEvent = Exclude<
  RulebookEvent | ManagedEvent,
  NamedListEvent | { readonly type: 'ManagedSetInstalled' }
>

/** Whether the event gives a version, or gives it back. */
export function isVersionEvent(event: RulebookEvent | ManagedEvent): event is VersionEvent {
  return 'version_id' in event.data
}

/** The id of the rule, recipe or flow that an event is about. */
export function readResourceId({ data }: ResourceEvent): string {
  if ('rule_id' in data) return data.rule_id
  return 'recipe_id' in data ? data.recipe_id : data.flow_id
}

/** A version by what it is of and its own id: where an event gives it. */
export function formatVersionKey(of: string, versionId: string): string {
  return `${of}/${versionId}`
}
