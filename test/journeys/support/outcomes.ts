/** Commands that are done at once, against a plain model: what they were answered must be what it answers in one of their orders. */

import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** A command, and what a model in this state makes of it. */
export interface AskedOf<State> {
  readonly send: { readonly method: string; readonly path: string; readonly body?: object }
  /** What the model answers, and is afterwards; what only the service can know, such as a new id, is as it was answered. */
  readonly model: (before: State, at: { nowMs: number; given: Answer }) => [Answer, State]
}

/** What the model can be after all of it in any order in which it answers what was answered. */
export function outcomes<State>(
  before: State,
  asked: readonly AskedOf<State>[],
  { given, nowMs }: { given: readonly Answer[]; nowMs: number },
): readonly State[] {
  if (asked.length === 0) return [before]
  return asked.flatMap((one, index) => {
    const answer = given[index] ?? expect.fail('there is no answer')
    const [said, after] = one.model(before, { nowMs, given: answer })
    if (!fits(answer, said)) return []
    const others = { given: given.toSpliced(index, 1), nowMs }
    return outcomes(after, asked.toSpliced(index, 1), others)
  })
}

/** Of a refusal its code is told by the model, of an answer all. */
function fits({ status, body }: Answer, said: Answer): boolean {
  if (status !== said.status) return false
  return status < 400 ? isDeepStrictEqual(body, said.body) : body['code'] === said.body['code']
}
