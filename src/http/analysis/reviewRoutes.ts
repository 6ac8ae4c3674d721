/** Declares the routes of saved searches, and of the reviews of what they find. */

import {
  answeredSchema,
  answerInputSchema,
  answerReview,
  takeInputSchema,
  takenSchema,
  takeReview,
} from '../../commands/analysis/reviews.ts'
import {
  deleteSearch,
  saveSearch,
  searchInputSchema,
} from '../../commands/analysis/savedSearches.ts'
import { idPrefixes } from '../../domain/ids.ts'
import { openObject } from '../../domain/jsonSchema.ts'
import {
  checkSavedWhere,
  findReviewQueue,
  findReviewTarget,
  listCandidates,
  listSearches,
  requireSearch,
  reviewQueueSchema,
  savedSearchSchema,
} from '../../queries/analysis/reviewQueue.ts'
import { type ConcurrencyLimit, withinLimit } from '../lists/listLimits.ts'
import { accountAccess, bothScopesAccess, ownScopeAccess } from '../request/access.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const path = '/v2/watch/management/searches'
const ids = { search_id: idPrefixes.search }
const tag = 'Analysis'

const searchRoutes: readonly Route[] = [
  defineRoute({
    ...{ path, tag, access: accountAccess('analyse') },
    method: 'GET',
    operationId: 'listSearches',
    summary: 'List the saved searches in the order in which they were saved',
    kind: 'plain',
    answers: {
      200: {
        description: 'The searches.',
        schema: openObject('SavedSearchList', {
          searches: { type: 'array', items: savedSearchSchema },
        }),
      },
    },
    serve: async ({ context, call }) => ({
      value: { searches: await listSearches(context, call) },
    }),
  }),
  defineRoute({
    ...{ path, tag, access: accountAccess('analyse') },
    method: 'POST',
    operationId: 'saveSearch',
    summary: 'Save a search, 200 at most, by whose results reviews can be made',
    body: schemaBody(searchInputSchema),
    answers: { 201: { description: 'The new search.', schema: savedSearchSchema } },
    serve: ({ context, call, body }) => {
      checkSavedWhere(body.where ?? '')
      return saveSearch(context, call, body)
    },
  }),
  defineRoute({
    ...{ ids, tag, access: accountAccess('analyse') },
    path: `${path}/{search_id}`,
    method: 'DELETE',
    operationId: 'deleteSearch',
    summary: 'Delete a saved search; what was answered stays on record',
    answers: { 204: { description: 'It is deleted.' } },
    serve: ({ context, call, ids }) => deleteSearch(context, call, ids.search_id),
  }),
]

const reviewing = {
  ...{ ids, tag, access: bothScopesAccess(['analyse', 'feedback']) },
  method: 'POST',
  failures: ['conflict', 'evidence_forgotten', 'rate_limited'],
} as const

/** `/v2/watch/management/searches`. */
export function reviewRoutes(longAnswers: ConcurrencyLimit): readonly Route[] {
  return [
    ...searchRoutes,
    defineRoute({
      ...{ ids, tag, access: ownScopeAccess('analyse') },
      path: `${path}/{search_id}/review`,
      method: 'GET',
      operationId: 'getReviewQueue',
      summary: "List what of a search waits for a person's word, the oldest first, and who has it",
      kind: 'plain',
      answers: { 200: { description: 'What waits.', schema: reviewQueueSchema } },
      serve: async ({ context, call, ids: { search_id } }) => ({
        value: await withinLimit(longAnswers, call.principal.accountId, () =>
          findReviewQueue(context, call, search_id),
        ),
      }),
    }),
    defineRoute({
      ...reviewing,
      path: `${path}/{search_id}/review/take`,
      operationId: 'takeReview',
      summary: 'Take the next evaluation for review, or keep one, for ten minutes',
      body: schemaBody(takeInputSchema),
      answers: {
        200: {
          description: 'What was taken; without a review when nothing waits.',
          schema: takenSchema,
        },
      },
      serve: async ({ context, call, ids: { search_id }, body: { evaluation_id } }) => {
        if (evaluation_id !== undefined) {
          await requireSearch(context, call, search_id)
          await findReviewTarget(context, call, evaluation_id)
          const candidates = [evaluation_id]
          return takeReview(context, call, { search_id, evaluation_id, candidates })
        }
        const candidates = await withinLimit(longAnswers, call.principal.accountId, () =>
          listCandidates(context, call, search_id),
        )
        return takeReview(context, call, { search_id, candidates })
      },
    }),
    defineRoute({
      ...reviewing,
      path: `${path}/{search_id}/review/answer`,
      operationId: 'answerReview',
      summary:
        'Answer what one has taken: fraud, legitimate or unsure, as a label; can be repeated',
      body: schemaBody(answerInputSchema),
      answers: { 200: { description: 'What is on record.', schema: answeredSchema } },
      serve: async ({ context, call, ids: { search_id }, body }) => {
        const target = await findReviewTarget(context, call, body.evaluation_id)
        return answerReview(context, call, { search_id, target, ...body })
      },
    }),
  ]
}
