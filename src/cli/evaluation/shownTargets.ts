/** Reads the targets of listed evaluations from their records. */

import type { EvaluationView } from '../../queries/evaluation/evaluationView.ts'
import type { Client } from '../connecting/client.ts'
import { segment } from '../connecting/invocation.ts'
import { evaluationsPath } from './evaluationId.ts'

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
