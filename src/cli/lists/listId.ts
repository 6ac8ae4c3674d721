/** Resolves a list argument: an id or a name. */

import type { ListView } from '../../commands/lists/namedLists.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import { nearest } from '../../domain/text/nearest.ts'
import type { Client } from '../connecting/client.ts'
import { listAll } from '../connecting/search.ts'
import { cliError, exitCodes, usageError } from '../terminal/cliError.ts'

export const listsPath = '/v2/watch/management/lists'

/** The API path of the list. Throws `usage` for an empty name, `not_found` for an unknown one. */
export async function listPath(client: Client, text: string): Promise<string> {
  return `${listsPath}/${await listId(client, text)}`
}

async function listId(client: Client, text: string): Promise<string> {
  if (isId(idPrefixes.list, text)) return text
  if (text === '') throw usageError('Give the id of a list (lst_…), or its name.')
  const all = await listAll<ListView>(client, { path: listsPath, name: 'lists' })
  const found = all.find(({ name }) => name === text)
  if (found) return found.id
  const meant = nearest(
    text,
    all.map(({ name }) => name),
  )
  const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`
  throw cliError(`There is no list called "${text}".${guess}`, exitCodes.refused, {
    code: 'not_found',
    hint: 'See: vigil lists list',
  })
}
