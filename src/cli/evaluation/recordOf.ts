/** The record of an evaluation that was just made: what things are called, and what was sent and did not count. */

import type { EvaluationView } from '../../service/evaluation/evaluationView.ts'
import type { Client } from '../connecting/client.ts'
import type { Invocation } from '../connecting/invocation.ts'
import { segment } from '../connecting/segment.ts'
import { isCliError } from '../terminal/cliError.ts'
import { printable } from '../terminal/printable.ts'
import type { VerdictAnswer } from './answers.ts'
import { evaluationsPath } from './evaluationId.ts'

/**
 * The record; the answer alone when the record cannot be read, since the verdict is there whatever comes after it. Why it cannot is said
 * beside the result: a token that evaluates need not be one that reads.
 */
export async function recordOf(
  { context }: Pick<Invocation, 'context'>,
  client: Client,
  answer: VerdictAnswer,
): Promise<VerdictAnswer> {
  try {
    const { body } = await client<EvaluationView>('GET', `${evaluationsPath}/${segment(answer.id)}`)
    return body
  } catch (thrown) {
    if (!isCliError(thrown)) throw thrown
    const why = printable(thrown.message)
    context.stderr.write(`Shown without names, for the record could not be read: ${why}\n`)
    return answer
  }
}
