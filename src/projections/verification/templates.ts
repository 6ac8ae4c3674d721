/** Projects the message templates of accounts. */

import type { TemplateContent } from '../../domain/verification/templates.ts'
import type { TemplateEvent } from '../../events/verification/template.ts'
import {
  type CreatedPosition,
  defineCollection,
  defineProjection,
  keepCreatedPosition,
} from '../running/projection.ts'

/** By the template's id. */
export interface TemplateDocument extends TemplateContent, CreatedPosition {
  readonly account: string
}

const identity = { name: 'templates', version: 1 } as const
export const templateCollection = defineCollection<TemplateDocument>({
  projection: identity,
  indexes: [['account', 'made']],
})

export const templatesProjection = defineProjection<TemplateEvent, TemplateDocument>({
  ...identity,
  collections: [templateCollection],
  eventTypes: ['TemplateCreated', 'TemplateUpdated', 'TemplateDeleted'],
  targets: ({ event }) => [{ collection: templateCollection, id: event.data.template_id }],
  apply: (template, { event, metadata: { account }, position }) => {
    if (event.type === 'TemplateDeleted') return null
    const { template_id: _, ...content } = event.data
    return { account, ...keepCreatedPosition(template, position), ...content }
  },
})
