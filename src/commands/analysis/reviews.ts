/** Takes evaluations for review, so that two people never have the same one, and answers them. */

import type { Call, WriteResult } from '../../domain/call.ts'
import type { ReportedTarget } from '../../domain/evaluation/feedback.ts'
import { reviewAnswers, reviewNoteMax, toReviewLabel } from '../../domain/evaluation/reviews.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import { idPrefixes } from '../../domain/ids.ts'
import {
  closedObject,
  openObject,
  optional,
  type TypeOf,
  text,
  timeSchema,
} from '../../domain/jsonSchema.ts'
import { isoTime } from '../../domain/text/isoTime.ts'
import {
  type Claim,
  claimMs,
  isInForce,
  type ReviewEvent,
  type ReviewState,
  reviewStream,
} from '../../events/analysis/review.ts'
import {
  claimSchema,
  type ReviewClaim,
  type ReviewStreams,
  showClaim,
} from '../../state/analysis/reviewStreamTypes.ts'
import { recordReportedEvents } from '../feedback/recordReports.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import {
  buildEventContext,
  executeAndPresent,
  executeCommand,
  waitUntilVisible,
} from '../handling/executeCommand.ts'

const evaluationId = {
  type: 'string',
  pattern: `^${idPrefixes.evaluation}_[0-7][0-9a-z]{25}$`,
} as const

export const takeInputSchema = closedObject('TakeReviewInput', {
  evaluation_id: optional({
    ...evaluationId,
    description: 'This one: to keep it longer, or to answer it again. By default the next one.',
  }),
})

export const takenSchema = openObject('TakenReview', {
  review: optional(claimSchema),
})
type Taken = TypeOf<typeof takenSchema>

export const answerInputSchema = closedObject('ReviewAnswerInput', {
  evaluation_id: evaluationId,
  answer: {
    type: 'string',
    enum: reviewAnswers,
    description: '`withdrawn` takes an answer back.',
  },
  note: optional({
    type: 'string',
    minLength: 1,
    maxLength: reviewNoteMax,
    description: 'Sealed with the data of the person, and erased with it.',
  }),
})

export const answeredSchema = openObject('AnsweredReview', {
  evaluation_id: text,
  answer: { type: 'string', enum: reviewAnswers },
  label: { type: 'string', description: 'Of the event that was recorded.' },
  by: text,
  answered_at: timeSchema,
})
type Answered = TypeOf<typeof answeredSchema>

/** What is asked for: one evaluation, or the first of some that nobody has. */
interface Wanted {
  readonly search_id: string
  readonly evaluation_id?: string
  /** In the order in which they are taken. */
  readonly candidates: readonly string[]
}

type Context = WriteContext & Pick<ReviewStreams, 'reviews'>

/**
 * Takes one for ten minutes; what the caller has already is answered again. Throws `conflict` for one that somebody
 * else has, and where others took all candidates meanwhile.
 */
export function takeReview(
  context: Context,
  call: Call,
  wanted: Wanted,
): Promise<WriteResult<Taken>> {
  const { accountId: account, tokenId: by } = call.principal
  const { candidates: _, ...input } = wanted
  const request = { account, operation: 'reviews.take', input }
  const eventContext = buildEventContext(context, call, request)
  return executeAndPresent(context, context.reviews, {
    stream: reviewStream(account),
    context: eventContext,
    decide: (state, at): readonly ReviewEvent[] => {
      const evaluation_id = chooseReview(state, { ...wanted, by, at })
      if (evaluation_id === undefined || isFresh(state.get(evaluation_id), by, at)) return []
      return [{ type: 'ReviewTaken', data: { search_id: wanted.search_id, evaluation_id, by, at } }]
    },
    present: (state) => {
      const review = findOwn(state, { ...wanted, by, at: eventContext.time })
      return review ? { review } : {}
    },
  })
}

interface Asked extends Wanted {
  readonly by: string
  readonly at: number
}

function chooseReview(state: ReviewState, asked: Asked): string | undefined {
  const { evaluation_id, candidates, by, at } = asked
  if (evaluation_id !== undefined) {
    const claim = state.get(evaluation_id)
    if (claim && claim.by !== by && isInForce(claim, at)) throw taken(claim)
    return evaluation_id
  }
  const own = findOwn(state, asked)
  if (own) return own.evaluation_id
  const free = candidates.find((id) => isFree(state.get(id), at))
  if (free !== undefined || candidates.length === 0) return free
  throw new Failure('conflict', 'Others have taken what was waiting; try again.')
}

/** Whether it was taken so lately that taking it again would say nothing new. */
function isFresh(claim: Claim | undefined, by: string, at: number): boolean {
  return claim?.by === by && claim.answer === undefined && at < claim.at + claimMs / 2
}

/** What the caller took last and still has: of the evaluation asked for, else of the search. */
function findOwn(
  state: ReviewState,
  { search_id, evaluation_id, by, at }: Asked,
): ReviewClaim | undefined {
  const [id, claim] =
    [...state].findLast(
      ([id, one]) =>
        one.by === by &&
        one.answer === undefined &&
        isInForce(one, at) &&
        (evaluation_id === undefined ? one.search_id === search_id : id === evaluation_id),
    ) ?? []
  return id !== undefined && claim ? showClaim(id, claim) : undefined
}

function isFree(claim: Claim | undefined, at: number): boolean {
  return !claim || !isInForce(claim, at) || claim.answer === 'withdrawn'
}

function taken({ by, at, answer }: Claim): Failure {
  const message =
    answer === undefined
      ? `It is taken by ${by} until ${isoTime(at + claimMs)}.`
      : `It was answered by ${by} at ${isoTime(at)}: take it again after ten minutes.`
  return new Failure('conflict', message)
}

interface Answer extends TypeOf<typeof answerInputSchema> {
  readonly search_id: string
  /** Of the evaluation. */
  readonly target: ReportedTarget
}

/**
 * Answers what the caller has taken, or has answered in the last ten minutes. Throws `conflict` where the time has run
 * out, or somebody else has it.
 */
export async function answerReview(
  context: Context & Parameters<typeof recordReportedEvents>[0],
  call: Call,
  { target, note, ...asked }: Answer,
): Promise<WriteResult<Answered>> {
  const { accountId: account, tokenId: by } = call.principal
  const { evaluation_id, answer } = asked
  const input = { ...asked, note }
  // 1. The answer is decided upon together with what others have taken.
  const decided = await executeCommand(context, context.reviews, {
    stream: reviewStream(account),
    context: buildEventContext(context, call, { account, operation: 'reviews.answer', input }),
    decide: (state, at): readonly [ReviewEvent] => {
      const claim = state.get(evaluation_id)
      if (!claim || !isInForce(claim, at)) {
        throw new Failure('conflict', 'The time to answer has run out: take it again.')
      }
      if (claim.by !== by) throw taken(claim)
      if (claim.search_id !== asked.search_id) throw notFound()
      return [{ type: 'ReviewAnswered', data: { ...asked, by, at } }]
    },
  })
  const { label, confidence } = toReviewLabel(answer)
  // 2. It is recorded as a label. Where that fails it can be answered again, and waits again after ten minutes.
  const labelled = await recordReportedEvents(
    context,
    { ...call, idempotencyKey: `review ${decided.command}` },
    [{ target, label, confidence, evaluation_id, ...(note !== undefined && { note }) }],
  )
  const [event] = decided.events
  const answered_at = isoTime(event?.data.at ?? context.clock.nowMs())
  const value = { evaluation_id, answer, label, by, answered_at }
  const { visible, position } = await waitUntilVisible(context, { position: labelled.position })
  return { value, position, visible }
}
