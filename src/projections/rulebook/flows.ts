/** The flows of every account as their authors see them: the current version of each. */

import type { RulebookEvent } from '../../events/rulebook/rulebook.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf } from '../running/projection.ts'

/** By the flow's id. */
export interface FlowDocument {
  readonly account: string
  readonly name: string
  /** Recipe ids, in order. */
  readonly recipes: readonly string[]
  readonly version_id: string
}

const identity = { name: 'flows', version: 2 } as const
export const flowCollection = collectionOf<FlowDocument>({
  projection: identity,
  indexes: [['account']],
})

type FlowEvent = Extract<RulebookEvent, { type: 'FlowPublished' | 'FlowRestored' | 'FlowRetired' }>

export const flows = defineProjection<FlowEvent, FlowDocument>({
  ...identity,
  collections: [flowCollection],
  handles: ['FlowPublished', 'FlowRestored', 'FlowRetired'],
  targets: ({ event }) => [{ collection: flowCollection, id: event.data.flow_id }],
  apply: (_, { event, metadata }) => {
    if (event.type === 'FlowRetired') return null
    const { name, recipes, version_id } = event.data
    return { account: metadata.account, name, recipes, version_id }
  },
})
