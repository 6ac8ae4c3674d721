/** Resolves `last` to the newest evaluation's id, and fetches the targets of evaluations. */

import type { EvaluationView } from '../../queries/evaluation/evaluationView.ts'
import type { Client } from '../connecting/client.ts'
import { encodePathSegment } from '../connecting/invocation.ts'
import { requireEntries } from '../connecting/pagination.ts'
import { createCliError, exitCodes } from '../terminal/cliError.ts'

/** Recorded evaluations in the API. */
export const evaluationsPath = '/v2/watch/evaluations'

/** The id as given; the newest evaluation of the account for `last`. Throws `not_found` while there is none. */
export async function evaluationId(client: Client, asked = 'last'): Promise<string> {
  if (asked !== 'last') return asked
  const answer = await client('GET', evaluationsPath, { query: { limit: 1 } })
  const [newest] = requireEntries(answer, 'evaluations')
  if (newest) return String(newest['id'])
  throw createCliError('There is no evaluation yet.', exitCodes.refused, {
    code: 'not_found',
    hint: 'Make one with: vigil eval FLOW --phone NUMBER',
  })
}

/** A list row, with its target if requested. */
export interface WithOptionalTarget {
  readonly target?: {
    readonly phone_number?: string
    readonly email_address?: string
    /** The end user was erased. */
    readonly forgotten?: true
  }
}

/** Adds the target of each evaluation, with one request per record. */
export async function fetchTargets<Evaluation extends { readonly id: string }>(
  client: Client,
  evaluations: readonly Evaluation[],
): Promise<readonly (Evaluation & WithOptionalTarget)[]> {
  const shown: (Evaluation & WithOptionalTarget)[] = []
  for (const evaluation of evaluations) {
    const path = `${evaluationsPath}/${encodePathSegment(evaluation.id)}`
    const record = await client<EvaluationView>('GET', path)
    shown.push({ ...evaluation, target: targetOf(record) })
  }
  return shown
}

function targetOf({ evidence }: EvaluationView): NonNullable<WithOptionalTarget['target']> {
  if ('forgotten' in evidence) return { forgotten: true }
  const named = evidence.filter(({ name }) => name.startsWith('target.'))
  return Object.fromEntries(named.map(({ name, value }) => [name.slice('target.'.length), value]))
}
