/** How the events of an account's templates add up in memory. */

import type { TemplateContent } from '../../domain/templates.ts'
import type { TemplateEvent, TemplateState } from '../../events/verification/template.ts'
import type { Family } from '../handling/family.ts'

/** About what a template takes, beside the texts of its name and suffix. */
const templateBytes = 400

export const templateFamily: Family<TemplateState, TemplateEvent> = {
  initial: () => new Map(),
  evolve: (state, event) => {
    const { template_id, ...content } = event.data
    if (event.type === 'TemplateDeleted') state.delete(template_id)
    else state.set(template_id, content as TemplateContent)
    return state
  },
  weigh: (state) => {
    let bytes = 0
    for (const { name, suffix = '' } of state.values()) {
      bytes += templateBytes + (name.length + suffix.length) * 2
    }
    return bytes
  },
}
