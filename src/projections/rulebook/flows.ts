/** Projects the flows of every account: the current version of each. */

import { flowContent } from '../../events/rulebook/contents.ts'
import type { FlowContent, RulebookEvent } from '../../events/rulebook/rulebook.ts'
import { collectionOf, defineProjection, type Made, madeAt } from '../running/projection.ts'

/** By the flow's id. */
export interface FlowDocument extends FlowContent, Made {
  readonly account: string
  readonly version_id: string
}

const identity = { name: 'flows', version: 3 } as const
export const flowCollection = collectionOf<FlowDocument>({
  projection: identity,
  indexes: [['account', 'made']],
})

type FlowEvent = Extract<RulebookEvent, { type: 'FlowPublished' | 'FlowRestored' | 'FlowRetired' }>

export const flows = defineProjection<FlowEvent, FlowDocument>({
  ...identity,
  collections: [flowCollection],
  handles: ['FlowPublished', 'FlowRestored', 'FlowRetired'],
  targets: ({ event }) => [{ collection: flowCollection, id: event.data.flow_id }],
  apply: (flow, { event, metadata: { account }, position }) => {
    if (event.type === 'FlowRetired') return null
    const { version_id } = event.data
    return { account, ...madeAt(flow, position), ...flowContent(event.data), version_id }
  },
})
