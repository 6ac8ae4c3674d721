/** Saves and deletes searches of an account, by which queues of reviews are made, too. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { deriveId, idPrefixes } from '../../domain/ids.ts'
import { closedObject, nameSchema, optional, type TypeOf } from '../../domain/jsonSchema.ts'
import {
  type SavedSearch,
  type SavedSearchEvent,
  searchesStream,
} from '../../events/analysis/savedSearch.ts'
import { findSearch, type ReviewStreams } from '../../state/analysis/reviewStreamTypes.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndPresent } from '../handling/executeCommand.ts'

/** Searches of an account. */
const searchesMax = 200

export const searchInputSchema = closedObject('SavedSearchInput', {
  name: nameSchema,
  where: optional({
    type: 'string',
    minLength: 1,
    maxLength: 2_048,
    description: 'Conditions as of lists, on nothing that tells who a person is.',
  }),
  flow_id: optional({ type: 'string', pattern: '^flo_[0-7][0-9a-z]{25}$' }),
})
export type SearchInput = TypeOf<typeof searchInputSchema>

type Context = WriteContext & Pick<ReviewStreams, 'searches'>

/** The conditions must have been checked. Throws `conflict` for a name that is taken, and beyond 200. */
export function saveSearch(
  context: Context,
  call: Call,
  input: SearchInput,
): Promise<WriteResult<SavedSearch>> {
  const { accountId: account } = call.principal
  const request = { account, operation: 'searches.save', input }
  const eventContext = buildEventContext(context, call, request)
  const idBy = (command: string): string => deriveId(idPrefixes.search, command, 'searches')
  return executeAndPresent(context, context.searches, {
    stream: searchesStream(account),
    context: eventContext,
    decide: (searches): readonly SavedSearchEvent[] => {
      if (searches.some(({ name }) => name === input.name)) {
        throw new Failure('conflict', 'There is a search of this name.')
      }
      if (searches.length >= searchesMax) {
        throw new Failure('conflict', `An account has at most ${searchesMax} searches; delete one.`)
      }
      return [{ type: 'SearchSaved', data: { search_id: idBy(eventContext.command), ...input } }]
    },
    present: (searches, command) => findSearch(searches, idBy(command)),
  })
}

/** What was answered stays on record. Throws `not_found`. */
export function deleteSearch(
  context: Context,
  call: Call,
  id: string,
): Promise<WriteResult<undefined>> {
  const { accountId: account } = call.principal
  return executeAndPresent(context, context.searches, {
    stream: searchesStream(account),
    context: buildEventContext(context, call, {
      account,
      operation: `searches.delete ${id}`,
      input: null,
    }),
    decide: (searches): readonly SavedSearchEvent[] => [
      { type: 'SearchDeleted', data: { search_id: findSearch(searches, id).id } },
    ],
    present: () => undefined,
  })
}
