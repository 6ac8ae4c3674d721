/** Declares the warnings on saved rules, recipes and flows, and the response field for them. */

import { openObject, optional, type TypeOf } from './jsonSchema.ts'

const warningCodes = [
  'rule_always_triggers',
  'rule_never_triggers',
  'impossible_text',
  'private_network',
  'recipe_always_flags',
  'recipe_never_flags',
  'flow_without_live_recipe',
  'duplicate_name',
  'key_never_arrives',
] as const

/** One warning. Unlike a failure it does not prevent the save. */
const warningSchema = openObject('Warning', {
  code: { type: 'string', enum: warningCodes },
  message: { type: 'string' },
  path: { type: 'string', description: 'The field that the warning is about.' },
})
export type SaveWarning = TypeOf<typeof warningSchema>

/** The `warnings` field of a response; absent when there are none. */
export const warningsField = optional({
  type: 'array',
  items: warningSchema,
  description: 'Probable mistakes; the change was made.',
})
