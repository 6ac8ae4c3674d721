/** Declares schemas that several areas use, and references to titled ones. */

import { optional, type Schema } from '../../../domain/schema.ts'
import { warningSchema } from '../../../domain/warning.ts'

/** The `warnings` field of a response; absent when there are none. */
export const warningsMember = optional({
  type: 'array',
  items: warningSchema,
  description: 'What is probably not what was meant; it was done all the same.',
})

/** A reference to the response schema of this title, for recursive schemas. */
export function referenceTo(title: string): Schema {
  return { $ref: `#/components/schemas/${title}` }
}
