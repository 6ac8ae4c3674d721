/** The flows of every account as their authors see them: the current version of each. */

import { flowContent } from '../../events/rulebook/contents.ts'
import type { FlowContent, RulebookEvent } from '../../events/rulebook/rulebook.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { collectionOf } from '../running/projection.ts'

/** By the flow's id. */
export interface FlowDocument extends FlowContent {
  readonly account: string
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
  apply: (_, { event, metadata: { account } }) => {
    if (event.type === 'FlowRetired') return null
    return { account, ...flowContent(event.data), version_id: event.data.version_id }
  },
})
