/** Asks customers whether legacy sessions are valid: a few at a time, and not at all for a while when they fail again and again. */

import { circuitBreakers } from '../../domain/circuitBreakers.ts'
import { Failure } from '../../domain/failure.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AccessTokens } from './accessTokens.ts'
import { ForbiddenAddress, type OutsideOptions, postOutside } from './postOutside.ts'
import { readValidation, type Validation } from './readValidation.ts'

/** Questions under way at a time: of one application, and in all. */
const askedOfAppMax = 16
const askedMax = 128

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
}

/** As the operator is told of it. */
interface ToldFault extends Fault {
  readonly account_id: string
  readonly app_id: string
  readonly request_id: string
}

interface AskingOptions {
  readonly tokens: Pick<AccessTokens, 'signCall'>
  readonly outside: Omit<OutsideOptions, 'authorization'>
  readonly onFault: (fault: ToldFault) => void
}

/**
 * Answers what the customer says. Throws `session_validation_failed` when that is nothing the contract knows, and `unavailable` while the
 * URL is left alone or too many are being asked.
 */
export function openAskValidation(
  { clock }: Pick<ServiceContext, 'clock'>,
  { tokens, outside, onFault }: AskingOptions,
): (asked: Asked) => Promise<Validation> {
  const breakers = circuitBreakers()
  const places = openPlaces()
  return (asked) =>
    places(asked.appId, async () => {
      const { appId, url, token } = asked
      // another URL is another place, of which nothing is known yet
      const key = `${appId} ${url}`
      const now = clock.nowMs()
      if (!breakers.mayAsk(key, now)) throw leftAlone(breakers.pauseMs(key, now))
      const body = JSON.stringify({ token, app_id: appId })
      const authorization = `Bearer ${await tokens.signCall(appId, { url, body })}`
      const said = await post({ url, body }, { ...outside, authorization })
      if ('valid' in said) {
        breakers.succeeded(key)
        return said
      }
      breakers.failed(key, clock.nowMs())
      onFault({ ...said, account_id: asked.account, app_id: appId, request_id: asked.requestId })
      throw new Failure(
        'session_validation_failed',
        'The application could not say whether the session is valid.',
      )
    })
}

function leftAlone(pauseMs: number): Failure {
  return new Failure('unavailable', 'The application cannot validate sessions; try again later.', {
    retryAfterSeconds: Math.max(1, Math.ceil(pauseMs / 1_000)),
  })
}

async function post(
  { url, body }: { readonly url: string; readonly body: string },
  options: OutsideOptions,
): Promise<Validation | Fault> {
  try {
    const { status, text } = await postOutside(url, body, options)
    if (status !== 200) return { reason: 'status', detail: String(status) }
    return readValidation(text) ?? { reason: 'form' }
  } catch (error) {
    if (error instanceof ForbiddenAddress) return { reason: 'forbidden_address' }
    return { reason: 'no_answer', detail: nameOf(error) }
  }
}

/** Its message may repeat what was answered. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Lets few do something at a time. Throws `unavailable` for one too many. */
function openPlaces() {
  const taken = new Map<string, number>()
  let all = 0
  return async <Value>(appId: string, ask: () => Promise<Value>): Promise<Value> => {
    const own = taken.get(appId) ?? 0
    if (own >= askedOfAppMax || all >= askedMax) {
      throw new Failure('unavailable', 'Too many sessions are being validated; try again.', {
        retryAfterSeconds: 1,
      })
    }
    taken.set(appId, own + 1)
    all += 1
    try {
      return await ask()
    } finally {
      all -= 1
      const left = (taken.get(appId) ?? 1) - 1
      if (left > 0) taken.set(appId, left)
      else taken.delete(appId)
    }
  }
}
