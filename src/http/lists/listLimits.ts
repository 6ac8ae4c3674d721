/** Limits concurrent list imports and long responses per account and in total, until each ends. */

import { Failure } from '../../domain/failure.ts'
import type { Answer } from '../request/answer.ts'

export interface ListLimits {
  /** Concurrent responses of whole lists. */
  readonly longAnswers: ConcurrencyLimit
  /** Concurrent imports. */
  readonly imports: ConcurrencyLimit
}

/** Opens the limits once, shared by all list routes. */
export function openListLimits(): ListLimits {
  return {
    longAnswers: openShares({ share: 4, total: 32 }),
    imports: openShares({ share: 1, total: 8 }),
  }
}

/**
 * Counts one for the account until the returned function is called; a second call does nothing. Throws `rate_limited` when the account
 * has too many, `unavailable` when all accounts together have.
 */
export type ConcurrencyLimit = (account: string) => () => void

const retry = { retryAfterSeconds: 5 }

function openShares({
  share,
  total,
}: {
  readonly share: number
  readonly total: number
}): ConcurrencyLimit {
  const counts = new Map<string, number>()
  let all = 0
  const add = (account: string, count: 1 | -1): void => {
    const sum = (counts.get(account) ?? 0) + count
    all += count
    if (sum === 0) counts.delete(account)
    else counts.set(account, sum)
  }
  return (account) => {
    if ((counts.get(account) ?? 0) >= share) {
      throw new Failure('rate_limited', 'The account has too many long requests under way.', retry)
    }
    if (all >= total) throw new Failure('unavailable', 'The service is busy; try again.', retry)
    let isCounted = true
    add(account, 1)
    return () => {
      if (isCounted) add(account, -1)
      isCounted = false
    }
  }
}

/** A streaming answer that counts against the limits until its body was sent, or cannot be made. */
export async function streamWithinLimit(
  shares: ConcurrencyLimit,
  account: string,
  make: () => Promise<Omit<Answer, 'chunks'> & { readonly chunks: AsyncIterable<string> }>,
): Promise<Answer> {
  const closed = shares(account)
  try {
    const { chunks, ...answer } = await make()
    return { ...answer, chunks: { chunks, onClosed: closed } }
  } catch (error) {
    closed()
    throw error
  }
}
