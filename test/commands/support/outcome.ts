/** Deciders as given, when, then: the events that were, the decision, and the events it gives or how it is refused. */

import { Failure } from '../../../src/domain/failure.ts'

type Refused = readonly [code: string, ...details: readonly string[]]

/** The events of a decision, or the code of its refusal with the path and message of each detail. */
export function outcome<State, Event>(
  state: State,
  decide: (state: State) => readonly Event[],
): readonly Event[] | Refused {
  try {
    return decide(state)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const details = (error.details ?? []).map(({ path, message }) => `${path}: ${message}`)
    return [error.code, ...details]
  }
}

/** A fold over events of a state that may be folded in place. */
export function after<State, Event>(
  initial: State,
  evolve: (state: State, event: Event) => State,
  events: readonly Event[],
): State {
  return events.reduce(evolve, initial)
}
