/** Reads the paging parameters of a list that is returned whole unless a page is requested. */

import type { PageRequest } from '../../domain/call.ts'
import { limits } from '../../domain/schema.ts'
import {
  cursorParameter,
  limitParameter,
  minPositionParameter,
  type QueryReader,
  readAsking,
  readCursor,
  readNumber,
} from './queryReader.ts'

/** `limit`, `cursor` and `min_position`. Without `limit` and `cursor` the whole list is returned; `cursor` alone has a default limit. */
export const wholeOrPage: QueryReader<Partial<PageRequest>> = {
  parameters: [
    {
      ...limitParameter,
      description: 'How many entries at most. Without it and `cursor` all are answered.',
      schema: { type: 'integer', minimum: 1, maximum: limits.page },
    },
    cursorParameter,
    minPositionParameter,
  ],
  read: (given, details) => {
    const cursor = readCursor(given, details)
    const asked = readNumber(given, { name: 'limit', min: 1, max: limits.page }, details)
    const limit = asked ?? (cursor === undefined ? undefined : limits.pageDefault)
    return {
      ...readAsking(given, details),
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
    }
  },
}
