/** Wraps a decision so that it throws `precondition_failed` unless `If-Match` matches. */

import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { isConditionMet } from '../../domain/text/entityTag.ts'

type Decide<State, Event> = (state: State) => readonly Event[]

/**
 * The decision, refused with `precondition_failed` when the call's `If-Match` does not match the current state. It is
 * checked on the state that is decided on, so that of two clients that have read the same version only one succeeds.
 */
export function decideIfMatch<State, Event>(
  { ifMatch }: Pick<Call, 'ifMatch'>,
  decide: Decide<State, Event>,
  present: (state: State) => object | undefined,
): Decide<State, Event> {
  if (ifMatch === undefined) return decide
  return (state) => {
    if (isConditionMet(ifMatch, present(state))) return decide(state)
    throw new Failure(
      'precondition_failed',
      'It has changed since you read it; read it again and decide anew.',
    )
  }
}
