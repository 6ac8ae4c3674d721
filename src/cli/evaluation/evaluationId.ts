/** Resolves an evaluation argument: an id, or `last` for the newest. */

import type { Client } from '../connecting/client.ts'
import { entriesOf } from '../connecting/search.ts'
import { cliError, exitCodes } from '../terminal/cliError.ts'

/** Recorded evaluations in the API. */
export const evaluationsPath = '/v2/watch/evaluations'

/** The id as given; the newest evaluation of the account for `last`. Throws `not_found` while there is none. */
export async function evaluationId(client: Client, asked = 'last'): Promise<string> {
  if (asked !== 'last') return asked
  const { body } = await client('GET', evaluationsPath, { query: { limit: 1 } })
  const [newest] = entriesOf(body, 'evaluations')
  if (newest) return String(newest['id'])
  throw cliError('There is no evaluation yet.', exitCodes.refused, {
    code: 'not_found',
    hint: 'Make one with: vigil eval FLOW --phone NUMBER',
  })
}
