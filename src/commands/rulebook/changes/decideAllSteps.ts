/** Decides several changes of a rulebook at once: all of them, or none with every problem. */

import { Failure, type FailureCode, type FailureDetail } from '../../../domain/failure.ts'
import {
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../../events/rulebook/rulebook.ts'
import { branchRulebook } from '../../../events/rulebook/updateRulebook.ts'

export interface ChangeStep {
  /** Its dotted path in the request. */
  readonly path: string
  readonly decide: (state: RulebookState) => readonly RulebookEvent[]
  /** Replaces it once it is refused, so that what refers to it is not complained about too. */
  readonly substitute?: RulebookEvent | undefined
}

/** Codes of failures whose details are paths in the content. */
const ofTheContent: ReadonlySet<FailureCode> = new Set(['invalid_request', 'invalid_rule'])

/** Details of one answer. */
const detailsMax = 1_000

/**
 * The decision: each step is decided on what the steps before it make of the rulebook; `after` is the rulebook with all
 * of them. Long work. Throws one failure with a detail for everything that is wrong with any step; its code is theirs
 * when they have one in common, else `invalid_request`. Throws `payload_too_large` as soon as the events are more than
 * `charsMax` characters of JSON.
 */
export function decideAllSteps(steps: readonly ChangeStep[], charsMax: number = Infinity) {
  return function* (state: RulebookState) {
    const after = branchRulebook(state)
    const codes = new Set<FailureCode>()
    const details: FailureDetail[] = []
    const events: RulebookEvent[] = []
    let chars = 0
    for (const step of steps) {
      const made = applyStep(after, step)
      if (made instanceof Failure) {
        codes.add(made.code)
        details.push(...listFailureDetails(step.path, made))
      } else {
        events.push(...made)
        chars += countEventChars(made)
      }
      if (chars > charsMax) {
        const message =
          'These are more changes than can be looked at together; send fewer at a time.'
        throw new Failure('payload_too_large', message)
      }
      yield
    }
    if (details.length === 0) return { events, after }
    const [code = 'invalid_request', otherCode] = codes
    throw new Failure(
      otherCode ? 'invalid_request' : code,
      'Nothing was changed; details says what is in the way.',
      { param: 'request', details: details.slice(0, detailsMax) },
    )
  }
}

/** The events of the step, folded into the branch; the failure of one that is refused. */
function applyStep(
  branch: RulebookState,
  { decide, substitute }: ChangeStep,
): readonly RulebookEvent[] | Failure {
  try {
    const events = decide(branch)
    for (const event of events) evolveRulebook(branch, event)
    return events
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (substitute) evolveRulebook(branch, substitute)
    return error
  }
}

/** Characters of the events as JSON. */
export function countEventChars(events: readonly { readonly data: unknown }[]): number {
  return events.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0)
}

/** Of a refusal that is about the state of things, one detail with all it has to say. */
function listFailureDetails(
  path: string,
  { code, message, details = [] }: Failure,
): FailureDetail[] {
  if (ofTheContent.has(code) && details.length > 0) {
    return details.map((detail) => ({ ...detail, path: `${path}.content.${detail.path}` }))
  }
  const named = details.map((detail) => detail.message).join(', ')
  return [{ path, message: named === '' ? message : `${message} ${named}` }]
}
