/** A body in the interface description. */

import type { Schema } from '../request/schema.ts'
import type { Components } from './components.ts'

interface Content {
  readonly schema: Schema
  /** JSON unless given. */
  readonly contentType?: string | undefined
  /** Left out when there is none. */
  readonly example?: unknown
}

/** The body under its media type. */
export function contentOf(
  { schema, contentType = 'application/json', example }: Content,
  components: Components,
): object {
  const type = contentType.split(';', 1)[0] ?? contentType
  return {
    [type]: {
      schema: components.referenced(schema),
      ...(example !== undefined && { example }),
    },
  }
}
