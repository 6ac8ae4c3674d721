/** Projects every version and change of rules, recipes and flows, with author and time. */
// Both stay when the resource is deleted.

import type { DecodedEvent } from '../../events/recording/event.ts'
import { pickAuthoredContent, type VersionContent } from '../../events/rulebook/authoredContent.ts'
import type { RecipeStatus } from '../../events/rulebook/rulebook.ts'
import {
  formatVersionKey,
  isVersionEvent,
  type ResourceEvent,
  readResourceId,
} from '../../events/rulebook/versionEvents.ts'
import { defineCollection, defineProjection } from '../running/projection.ts'

/** By `{id of the rule, recipe or flow}/{version id}`. */
export interface VersionDocument {
  readonly account: string
  readonly version_id: string
  /** Of the event that made it, in the rulebook's stream. */
  readonly revision: number
  /** Milliseconds since the Unix epoch. */
  readonly created_at: number
  /** Token id, `operator`, or `service` for what ships with the product. */
  readonly created_by: string
  /** Of the last time it was made current again. */
  readonly restored_at?: number
  readonly restored_by?: string
  readonly content: VersionContent
}

/** A kind of change of a rule, recipe or flow. */
export type ChangeKind = 'created' | 'restored' | 'status_set' | 'deleted'

/** By `{id of the rule, recipe or flow}/{position}`. */
export interface ChangeDocument {
  readonly account: string
  /** Id of the rule, recipe or flow. */
  readonly of: string
  /** Position of the event, by which changes are in order. */
  readonly at: number
  readonly change: ChangeKind
  /** Milliseconds since the Unix epoch. */
  readonly changed_at: number
  readonly changed_by: string
  /** Of a recipe, from this change on. */
  readonly status?: RecipeStatus
  /** Whether a version was made or restored, and which; otherwise it is the one of the change before. */
  readonly is_version: boolean
  readonly version_id?: string
}

const identity = { name: 'versions', version: 5 } as const
export const versionCollection = defineCollection<VersionDocument>({
  projection: identity,
  indexes: [['version_id']],
})
export const changeCollection = defineCollection<ChangeDocument>({
  projection: identity,
  name: 'changes',
  indexes: [
    ['account', 'of', 'at'],
    ['account', 'of', 'is_version', 'at'],
  ],
})

const changes: Readonly<Record<ResourceEvent['type'], ChangeKind>> = {
  RulePublished: 'created',
  RuleRestored: 'restored',
  RuleRetired: 'deleted',
  RecipePublished: 'created',
  RecipeRestored: 'restored',
  RecipeStatusSet: 'status_set',
  RecipeRetired: 'deleted',
  FlowPublished: 'created',
  FlowRestored: 'restored',
  FlowRetired: 'deleted',
  ManagedRulePublished: 'created',
  ManagedRuleRestored: 'restored',
  ManagedRuleRetired: 'deleted',
  ManagedRecipePublished: 'created',
  ManagedRecipeRestored: 'restored',
  ManagedRecipeRetired: 'deleted',
}

export const versionsProjection = defineProjection<ResourceEvent, VersionDocument | ChangeDocument>(
  {
    ...identity,
    collections: [versionCollection, changeCollection],
    eventTypes: Object.keys(changes) as ResourceEvent['type'][],
    targets: ({ event, position }) => {
      const of = readResourceId(event)
      const change = {
        collection: changeCollection,
        id: buildChangeId(of, position),
        once: 'unique',
      } as const
      if (!isVersionEvent(event)) return [change]
      return [
        change,
        { collection: versionCollection, id: formatVersionKey(of, event.data.version_id) },
      ]
    },
    apply: (document, decoded, { collection }) => {
      const { event, metadata, revision } = decoded
      if (collection === changeCollection || !isVersionEvent(event))
        return buildChangeDocument(decoded)
      const { account, actor, time } = metadata
      if (document) return { ...document, restored_at: time, restored_by: actor }
      const { version_id } = event.data
      const content = pickAuthoredContent(event)
      return { account, version_id, revision, created_at: time, created_by: actor, content }
    },
  },
)

const positionDigits = 16

function buildChangeId(of: string, position: number): string {
  return `${of}/${String(position).padStart(positionDigits, '0')}`
}

function buildChangeDocument({
  event,
  metadata,
  position,
}: DecodedEvent<ResourceEvent>): ChangeDocument {
  const { data } = event
  return {
    account: metadata.account,
    of: readResourceId(event),
    at: position,
    change: changes[event.type],
    changed_at: metadata.time,
    changed_by: metadata.actor,
    ...('status' in data && { status: data.status }),
    is_version: isVersionEvent(event),
    ...('version_id' in data && { version_id: data.version_id }),
  }
}
