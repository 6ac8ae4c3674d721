/** Declares the stream types of saved searches and reviews, and shows what is taken. */

import { requireExisting } from '../../domain/failure.ts'
import { openObject, optional, type TypeOf, text, timeSchema } from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  type Claim,
  claimMs,
  evolveReviews,
  type ReviewEvent,
  type ReviewState,
} from '../../events/analysis/review.ts'
import {
  evolveSearches,
  type SavedSearch,
  type SavedSearchEvent,
} from '../../events/analysis/savedSearch.ts'
import type { FoldedStreamCache } from '../folding/foldedStreamCache.ts'
import type { StreamType } from '../folding/streamType.ts'

export interface ReviewStreams {
  readonly searches: FoldedStreamCache<readonly SavedSearch[], SavedSearchEvent>
  readonly reviews: FoldedStreamCache<ReviewState, ReviewEvent>
}

const searchBytes = 600
const claimBytes = 300

export const searchStreamType: StreamType<readonly SavedSearch[], SavedSearchEvent> = {
  initial: () => [],
  evolve: evolveSearches,
  estimateBytes: (searches) =>
    searches.reduce((sum, { where = '' }) => sum + searchBytes + 2 * where.length, 0),
}

export const reviewStreamType: StreamType<ReviewState, ReviewEvent> = {
  initial: () => new Map(),
  evolve: evolveReviews,
  estimateBytes: ({ size }) => size * claimBytes,
  // people take and answer far less in ten minutes
  lastNeeded: 5_000,
}

export const claimSchema = openObject('ReviewClaim', {
  evaluation_id: text,
  search_id: text,
  by: { type: 'string', description: 'Id of the token that took it.' },
  name: optional({ type: 'string', description: 'The name of that token, if it has one.' }),
  taken_at: timeSchema,
  until: { ...timeSchema, description: 'Then others may take it, unless it is taken again.' },
})
export type ReviewClaim = TypeOf<typeof claimSchema>

export function showClaim(
  evaluation_id: string,
  { search_id, by, taken_at, at }: Claim,
): ReviewClaim {
  const until = isoTime(at + claimMs)
  return { evaluation_id, search_id, by, taken_at: isoTime(taken_at), until }
}

/** Throws `not_found`. */
export function findSearch(searches: readonly SavedSearch[], id: string): SavedSearch {
  return requireExisting(searches.find((search) => search.id === id))
}
