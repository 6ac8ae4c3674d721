/** What a thread that answers questions and the thread that asks them say to each other. */

import { Failure } from '../../domain/failure.ts'
import { wordsOf } from '../../projections/running/attempt.ts'

export type ToAnswering =
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly name: string
      readonly asked: unknown
      /** The version of each projection that readers use. */
      readonly active: ActiveVersions
    }
  | { readonly kind: 'give_up'; readonly id: number }
  | { readonly kind: 'close' }

export type ActiveVersions = Readonly<Record<string, number>>

export type FromAnswering =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: PlainFailure }
  /** Everything is closed. */
  | { readonly kind: 'closed' }

/** A failure as plain data. */
interface PlainFailure
  extends Partial<Pick<Failure, 'code' | 'details' | 'param' | 'retryAfterSeconds' | 'isDamage'>> {
  readonly message: string
  /** The words of its cause, which are for the operator. */
  readonly cause?: string
}

/** Of what was thrown; what is no `Failure` keeps nothing but its words. */
export function plainFailure(thrown: unknown): PlainFailure {
  if (!(thrown instanceof Failure)) return { message: wordsOf(thrown) }
  const { code, message, details, param, retryAfterSeconds, isDamage, cause } = thrown
  const told = { code, message, details, param, retryAfterSeconds, isDamage }
  return cause instanceof Error ? { ...told, cause: cause.message } : told
}

/** What is to be thrown for it. */
export function thrownFor({ code, message, ...options }: PlainFailure): Error {
  if (code === undefined) return new Error(message)
  const { details, param, retryAfterSeconds, isDamage, cause } = options
  return new Failure(code, message, {
    ...(details && { details }),
    ...(param !== undefined && { param }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(isDamage !== undefined && { isDamage }),
    ...(cause !== undefined && { cause: new Error(cause) }),
  })
}
