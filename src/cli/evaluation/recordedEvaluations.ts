/** Reads recorded evaluations: the newest ones, their ids and their targets. */

import type { WatchedEvaluation } from '../../queries/analysis/namedEvaluations.ts'
import type { EvaluationView } from '../../queries/evaluation/evaluationView.ts'
import type { Client } from '../connecting/client.ts'
import { segment } from '../connecting/invocation.ts'
import { findId } from '../connecting/nameLookup.ts'
import { entriesOf } from '../connecting/pagination.ts'
import { kindFacts } from '../rulebook/folder/resourceFile.ts'
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

const perPage = 200

/** Command options that filter evaluations. */
export interface EvaluationFilter {
  /** The flow's id or name. */
  readonly flow?: string
  readonly verdict?: string
}

interface Wanted extends EvaluationFilter {
  readonly count: number
  /** Position of the log before which to look. */
  readonly before?: string
}

interface Last {
  /** The newest first. */
  readonly evaluations: readonly WatchedEvaluation[]
  /** Before which older ones lie; undefined when there are none. */
  readonly nextBefore: string | undefined
}

/** Reads up to the requested number of evaluations. */
export async function lastEvaluations(client: Client, wanted: Wanted): Promise<Last> {
  const { verdict, count } = wanted
  const flow_id = await flowIdOf(client, wanted)
  const evaluations: WatchedEvaluation[] = []
  let before = wanted.before
  do {
    const limit = Math.min(perPage, count - evaluations.length)
    const query = { limit, before, flow_id, verdict }
    const { body } = await client('GET', evaluationsPath, { query })
    const page = entriesOf<WatchedEvaluation>(body, 'evaluations')
    evaluations.push(...page.toReversed())
    before = typeof body['next_before'] === 'string' ? body['next_before'] : undefined
  } while (before !== undefined && evaluations.length < count)
  return { evaluations, nextBefore: before }
}

/** The id of the flow; undefined for all of them. */
export async function flowIdOf(
  client: Client,
  { flow }: EvaluationFilter,
): Promise<string | undefined> {
  return flow === undefined ? undefined : findId(client, kindFacts.flows, flow)
}

interface ShownTarget {
  readonly phone_number?: string
  readonly email_address?: string
  /** The end user was erased. */
  readonly forgotten?: true
}

/** A list row, with its target if requested. */
export interface MaybeTargeted {
  readonly target?: ShownTarget
}

/** Adds the target of each evaluation, with one request per record. */
export async function withTargets<Evaluation extends { readonly id: string }>(
  client: Client,
  evaluations: readonly Evaluation[],
): Promise<readonly (Evaluation & MaybeTargeted)[]> {
  const shown: (Evaluation & MaybeTargeted)[] = []
  for (const evaluation of evaluations) {
    const path = `${evaluationsPath}/${segment(evaluation.id)}`
    const { body } = await client<EvaluationView>('GET', path)
    shown.push({ ...evaluation, target: targetOf(body) })
  }
  return shown
}

function targetOf({ evidence }: EvaluationView): ShownTarget {
  if ('forgotten' in evidence) return { forgotten: true }
  const named = evidence.filter(({ name }) => name.startsWith('target.'))
  return Object.fromEntries(named.map(({ name, value }) => [name.slice('target.'.length), value]))
}
