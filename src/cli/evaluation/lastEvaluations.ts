/** Reads the newest recorded evaluations, page by page. */

import type { WatchedEvaluation } from '../../queries/analysis/namedEvaluations.ts'
import type { Client } from '../connecting/client.ts'
import { findId } from '../connecting/nameLookup.ts'
import { entriesOf } from '../connecting/search.ts'
import { kindFacts } from '../rulebook/folder/kind.ts'
import { evaluationsPath } from './evaluationId.ts'

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
