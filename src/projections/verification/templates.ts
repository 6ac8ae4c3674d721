/** Projects the message templates of accounts. */

import type { TemplateContent } from '../../domain/verification/templates.ts'
import type { TemplateEvent } from '../../events/verification/template.ts'
import {
  type CreatedPosition,
  collectionOf,
  createdPosition,
  defineProjection,
} from '../running/projection.ts'

/** By the template's id. */
export interface TemplateDocument extends TemplateContent, CreatedPosition {
  readonly account: string
}

const identity = { name: 'templates', version: 1 } as const
export const templateCollection = collectionOf<TemplateDocument>({
  projection: identity,
  indexes: [['account', 'made']],
})

export const templates = defineProjection<TemplateEvent, TemplateDocument>({
  ...identity,
  collections: [templateCollection],
  handles: ['TemplateCreated', 'TemplateUpdated', 'TemplateDeleted'],
  targets: ({ event }) => [{ collection: templateCollection, id: event.data.template_id }],
  apply: (template, { event, metadata: { account }, position }) => {
    if (event.type === 'TemplateDeleted') return null
    const { template_id: _, ...content } = event.data
    return { account, ...createdPosition(template, position), ...content }
  },
})
