/** Asks customers whether legacy sessions are valid: a few at a time, and not at all for a while when they fail again and again. */

import { circuitBreakers } from '../../domain/circuitBreakers.ts'
import { Failure } from '../../domain/failure.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AccessTokens } from './accessTokens.ts'
import {
  ForbiddenAddress,
  type OutsideOptions,
  postOutside,
  UnreadableAnswer,
} from './postOutside.ts'
import { openQuestionPlaces } from './questionPlaces.ts'
import { readValidation, type Validation } from './readValidation.ts'

/** A legacy session that was presented. */
export interface Asked {
  readonly account: string
  readonly appId: string
  readonly requestId: string
  readonly url: string
  readonly token: string
}

/** Why there is no answer; of the answer itself nothing is told. */
interface Fault {
  readonly reason: 'forbidden_address' | 'no_answer' | 'status' | 'form'
  /** The status, or what the system calls the error. */
  readonly detail?: string
  /** Whether somebody answered who can: then it is of this one session, and the next may be answered well. */
  readonly isAlive: boolean
}

/** As the operator is told of it. */
interface ToldFault extends Omit<Fault, 'isAlive'> {
  readonly account_id: string
  readonly app_id: string
  readonly request_id: string
}

interface AskingOptions {
  readonly tokens: Pick<AccessTokens, 'signCall'>
  /** Requests in progress at once in this process. */
  readonly inFlightMax: number
  readonly outside: Omit<OutsideOptions, 'authorization'>
  readonly onFault: (fault: ToldFault) => void
}

/** Nobody is asked for now. */
export class LeftAlone extends Failure {}

/**
 * Answers what the customer says. Throws `session_validation_failed` when that is nothing the contract knows, `LeftAlone`, which is the same
 * with a time to try again, while the URL is left alone, and what `QuestionPlaces` throws.
 */
export function openAskValidation(
  { clock }: Pick<ServiceContext, 'clock'>,
  { tokens, inFlightMax, outside, onFault }: AskingOptions,
): (asked: Asked) => Promise<Validation> {
  const breakers = circuitBreakers()
  const inPlace = openQuestionPlaces(inFlightMax)
  return async (asked) => {
    const { appId, url, token } = asked
    // another URL is another place, of which nothing is known yet
    const key = `${appId} ${url}`
    const pauseMs = breakers.pauseMs(key, clock.nowMs())
    if (pauseMs > 0) throw leftAlone(pauseMs)
    return inPlace(asked, async () => {
      const body = JSON.stringify({ token, app_id: appId })
      // signed first: an attempt that is never made would count as one whose end nobody knows
      const authorization = `Bearer ${await tokens.signCall(appId, { url, body })}`
      const now = clock.nowMs()
      const attempt = breakers.attempt(key, now)
      if (!attempt) throw leftAlone(breakers.pauseMs(key, now))
      const said = await post({ url, body }, { ...outside, authorization })
      if ('valid' in said) {
        attempt.succeeded()
        return said
      }
      const { isAlive, ...fault } = said
      if (isAlive) attempt.undecided()
      else attempt.failed(clock.nowMs())
      onFault({ ...fault, account_id: asked.account, app_id: appId, request_id: asked.requestId })
      throw new Failure(
        'session_validation_failed',
        'The application could not say whether the session is valid.',
      )
    })
  }
}

function leftAlone(pauseMs: number): LeftAlone {
  const message = 'The application cannot say now whether sessions are valid; try again later.'
  const retryAfterSeconds = Math.max(1, Math.ceil(pauseMs / 1_000))
  return new LeftAlone('session_validation_failed', message, { retryAfterSeconds })
}

async function post(
  { url, body }: { readonly url: string; readonly body: string },
  options: OutsideOptions,
): Promise<Validation | Fault> {
  try {
    const { status, text } = await postOutside(url, body, options)
    if (status !== 200) return ofStatus(status)
    return readValidation(text) ?? { reason: 'form', isAlive: true }
  } catch (error) {
    if (error instanceof ForbiddenAddress) return { reason: 'forbidden_address', isAlive: false }
    if (!(error instanceof UnreadableAnswer)) {
      return { reason: 'no_answer', detail: nameOf(error), isAlive: false }
    }
    const { status, code } = error
    return status === 200 ? { reason: 'form', detail: code, isAlive: true } : ofStatus(status)
  }
}

/** Who is overloaded answers nobody else either. */
function ofStatus(status: number): Fault {
  const isAlive = status < 500 && status !== 408 && status !== 429
  return { reason: 'status', detail: String(status), isAlive }
}

/** Its message may repeat what was answered. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
