/** Several changes of a rulebook as one decision: all of them, or none and everything that is wrong with any. */

import { Failure, type FailureCode, type FailureDetail } from '../../domain/failure.ts'
import { branchRulebook } from '../../events/rulebook/branchRulebook.ts'
import {
  evolveRulebook,
  type RulebookEvent,
  type RulebookState,
} from '../../events/rulebook/rulebook.ts'

/** One of the changes. */
export interface Step {
  /** Its dotted place in the request. */
  readonly path: string
  readonly decide: (state: RulebookState) => readonly RulebookEvent[]
  /** Stands in for it once it is refused, so that what refers to it is not complained about too. */
  readonly standIn?: RulebookEvent
}

interface Refusal {
  readonly path: string
  readonly failure: Failure
}

/** What is wrong with the request itself, each detail under its place in what is to be saved. */
const ofTheContent: ReadonlySet<FailureCode> = new Set(['invalid_request', 'invalid_rule'])

/** Details of one answer. */
const detailsMax = 1_000

/**
 * The decision: each step is decided on what the steps before it make of the rulebook. Throws one failure with a detail for everything
 * that is wrong with any step; its code is theirs when they have one in common, else `invalid_request`.
 */
export function decideTogether(steps: readonly Step[]) {
  return (state: RulebookState): readonly RulebookEvent[] => {
    const branch = branchRulebook(state)
    const refusals: Refusal[] = []
    const events = steps.flatMap((step) => taken(branch, step, refusals))
    if (refusals.length > 0) throw refusedTogether(refusals)
    return events
  }
}

/** The events of the step, folded into the branch; none for one that is refused, which is added to the refusals. */
function taken(
  branch: RulebookState,
  { path, decide, standIn }: Step,
  refusals: Refusal[],
): readonly RulebookEvent[] {
  try {
    const events = decide(branch)
    for (const event of events) evolveRulebook(branch, event)
    return events
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    refusals.push({ path, failure: error })
    if (standIn) evolveRulebook(branch, standIn)
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
