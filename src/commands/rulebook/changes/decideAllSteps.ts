/** Decides several changes of a rulebook at once: all of them, or none with every problem. */

import { Failure, type FailureCode, type FailureDetail } from '../../../domain/failure.ts'
import { pauseLongWork } from '../../../domain/load/longWork.ts'
import {
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../../events/rulebook/rulebook.ts'
import { branchRulebook } from '../../../events/rulebook/updateRulebook.ts'

/** One of the changes. */
export interface ChangeStep {
  /** Its dotted path in the request. */
  readonly path: string
  readonly decide: (state: RulebookState) => readonly RulebookEvent[]
  /** Replaces it once it is refused, so that what refers to it is not complained about too. */
  readonly substitute?: RulebookEvent
}

/** The result of all steps together. */
interface DecidedStep {
  readonly events: readonly RulebookEvent[]
  /** The rulebook with them. */
  readonly after: RulebookState
}

interface Refusal {
  readonly path: string
  readonly failure: Failure
}

/** Codes of failures whose details are paths in the content. */
const ofTheContent: ReadonlySet<FailureCode> = new Set(['invalid_request', 'invalid_rule'])

/** Details of one answer. */
const detailsMax = 1_000

/**
 * The decision: each step is decided on what the steps before it make of the rulebook. Long work. Throws one
 * failure with a detail for everything that is wrong with any step; its code is theirs when they have one in common, else
 * `invalid_request`. Throws `payload_too_large` as soon as the events are more than `charsMax` characters of JSON.
 */
export function decideAllSteps(steps: readonly ChangeStep[], charsMax: number = Infinity) {
  return async (state: RulebookState): Promise<DecidedStep> => {
    const after = branchRulebook(state)
    const refusals: Refusal[] = []
    const events: RulebookEvent[] = []
    let chars = 0
    for (const step of steps) {
      const made = apply(after, step, refusals)
      chars += charsOf(made)
      if (chars > charsMax) {
        const message =
          'These are more changes than can be looked at together; send fewer at a time.'
        throw new Failure('payload_too_large', message)
      }
      events.push(...made)
      await pauseLongWork()
    }
    if (refusals.length > 0) throw refusedTogether(refusals)
    return { events, after }
  }
}

/** Characters of the events as JSON. */
export function charsOf(events: readonly { readonly data: unknown }[]): number {
  return events.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0)
}

/** The events of the step, folded into the branch; none for one that is refused, which is added to the refusals. */
function apply(
  branch: RulebookState,
  { path, decide, substitute }: ChangeStep,
  refusals: Refusal[],
): readonly RulebookEvent[] {
  try {
    const events = decide(branch)
    for (const event of events) evolveRulebook(branch, event)
    return events
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    refusals.push({ path, failure: error })
    if (substitute) evolveRulebook(branch, substitute)
    return []
  }
}

function refusedTogether(refusals: readonly Refusal[]): Failure {
  const codes = new Set(refusals.map(({ failure }) => failure.code))
  const [only = 'invalid_request'] = codes
  const details = refusals.flatMap(detailsOf).slice(0, detailsMax)
  return new Failure(
    codes.size === 1 ? only : 'invalid_request',
    'Nothing was changed; details says what is in the way.',
    { param: 'request', details },
  )
}

/** Of a refusal that is about the state of things, one detail with all it has to say. */
function detailsOf({ path, failure }: Refusal): readonly FailureDetail[] {
  const { code, message, details = [] } = failure
  if (ofTheContent.has(code) && details.length > 0) {
    return details.map((detail) => ({ ...detail, path: `${path}.content.${detail.path}` }))
  }
  const named = details.map((detail) => detail.message).join(', ')
  return [{ path, message: named === '' ? message : `${message} ${named}` }]
}
