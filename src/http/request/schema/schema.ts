/** Declares references to titled schemas. */

import type { Schema } from '../../../domain/schema.ts'

/** A reference to the response schema of this title, for recursive schemas. */
export function referenceTo(title: string): Schema {
  return { $ref: `#/components/schemas/${title}` }
}
