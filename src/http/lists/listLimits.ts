/** Limits concurrent list imports and long responses per account and in total, until each ends. */

import { Failure } from '../../domain/failure.ts'
import type { Answer } from '../request/answer.ts'

export interface ListLimits {
  /** Concurrent responses of whole lists. */
  readonly longAnswers: ConcurrencyLimit
  readonly imports: ConcurrencyLimit
}

/** Opens the limits once, shared by all list routes. */
export function openListLimits(): ListLimits {
  return { longAnswers: openLimit(4, 32), imports: openLimit(1, 8) }
}

/**
 * Counts one for the account until the returned function is called; a second call does nothing. Throws `rate_limited`
 * when the account has too many, `unavailable` when all accounts together have.
 */
export type ConcurrencyLimit = (account: string) => () => void

const retry = { retryAfterSeconds: 5 }

function openLimit(accountMax: number, totalMax: number): ConcurrencyLimit {
  const running = new Set<{ readonly account: string }>()
  return (account) => {
    const own = [...running].filter((one) => one.account === account)
    if (own.length >= accountMax) {
      throw new Failure('rate_limited', 'The account has too many long requests under way.', retry)
    }
    if (running.size >= totalMax) {
      throw new Failure('unavailable', 'The service is busy; try again.', retry)
    }
    const one = { account }
    running.add(one)
    return () => running.delete(one)
  }
}

/** A streaming answer that counts against the limits until its body was sent, or cannot be made. */
export async function streamWithinLimit(
  limit: ConcurrencyLimit,
  account: string,
  make: () => Promise<Omit<Answer, 'chunks'> & { readonly chunks: AsyncIterable<string> }>,
): Promise<Answer> {
  const onClosed = limit(account)
  try {
    const { chunks, ...answer } = await make()
    return { ...answer, chunks: { chunks, onClosed } }
  } catch (error) {
    onClosed()
    throw error
  }
}
