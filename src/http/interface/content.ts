/** A body in the interface description. */

import type { Schema } from '../request/schema.ts'
import type { Components } from './components.ts'

/** The body under its media type, JSON unless another is given. */
export function contentOf(
  schema: Schema,
  components: Components,
  type = 'application/json',
): object {
  return { [type.split(';', 1)[0] ?? type]: { schema: components.referenced(schema) } }
}
