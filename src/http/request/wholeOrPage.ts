/** Reads the paging parameters of a list that is returned whole unless a page is requested. */

import type { PageRequest } from '../../domain/call.ts'
import { limits } from '../../domain/schema.ts'
import { numberParameter, pageParameters, type QueryReader, queryOf } from './queryReader.ts'

const query = queryOf({
  ...pageParameters,
  limit: numberParameter(
    'limit',
    { min: 1, max: limits.page },
    'Maximum number of entries. Without it and `cursor` all are returned.',
  ),
})

/** `limit`, `cursor` and `min_position`. Without `limit` and `cursor` the whole list is returned; `cursor` alone has a default limit. */
export const wholeOrPage: QueryReader<Partial<PageRequest>> = {
  ...query,
  read: (given, details) => {
    const asked = query.read(given, details)
    return asked.cursor === undefined ? asked : { limit: limits.pageDefault, ...asked }
  },
}
