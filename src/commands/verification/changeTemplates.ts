/** Creates, changes and deletes the templates of an account. */

import { Failure } from '../../domain/failure.ts'
import { missing } from '../../domain/ids.ts'
import {
  mergedTemplate,
  type TemplateContent,
  type TemplateInput,
  type TemplatePatch,
  templateBounds,
  templateDefaults,
  templatesMax,
} from '../../domain/templates.ts'
import type { TemplateEvent, TemplateState } from '../../events/verification/template.ts'
import { checkSuffix } from './checkSuffix.ts'

type Decide = (state: TemplateState) => readonly TemplateEvent[]

/** The account as it is when the template is written. */
type Writer = Parameters<typeof checkSuffix>[1]

/**
 * The decision. Throws `invalid_code_size`, `custom_suffix_not_enabled`, `invalid_suffix`, `suffix_script_not_supported`,
 * `suffix_not_allowed`, `conflict` when the account has too many.
 */
export function createTemplate(id: string, input: TemplateInput, writer: Writer): Decide {
  return (state) => {
    const content = checked(
      mergedTemplate({ ...templateDefaults, name: input.name }, input),
      writer,
    )
    if (state.size >= templatesMax) {
      const message = `An account has at most ${templatesMax} templates; delete one first.`
      throw new Failure('conflict', message)
    }
    return [{ type: 'TemplateCreated', data: { template_id: id, ...content } }]
  }
}

/** The decision: nothing when nothing changes. A suffix that stays is not looked at anew. Throws `template_not_found`, and as above. */
export function updateTemplate(id: string, patch: TemplatePatch, writer: Writer): Decide {
  return (state) => {
    const before = state.get(id)
    if (!before) throw missing('template')
    const content = checked(mergedTemplate(before, patch), writer, before.suffix)
    if (isSame(before, content)) return []
    return [{ type: 'TemplateUpdated', data: { template_id: id, ...content } }]
  }
}

/** The decision. Throws `template_not_found`, also for one that is gone already. */
export function deleteTemplate(id: string): Decide {
  return (state) => {
    if (!state.has(id)) throw missing('template')
    return [{ type: 'TemplateDeleted', data: { template_id: id } }]
  }
}

function checked(content: TemplateContent, writer: Writer, kept?: string): TemplateContent {
  const { code_size: size, suffix } = content
  const { min, max } = templateBounds.code_size
  if (size < min || size > max) {
    const details = [
      { path: 'code_size', message: `Must be a whole number from ${min} to ${max}.` },
    ]
    throw new Failure('invalid_code_size', 'The size of the code is invalid; see details.', {
      param: 'request',
      details,
    })
  }
  if (suffix === undefined || suffix === kept) return content
  return { ...content, suffix: checkSuffix(suffix, writer) }
}

function isSame(one: TemplateContent, other: TemplateContent): boolean {
  const fields = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...fields].every((field) => Reflect.get(one, field) === Reflect.get(other, field))
}
