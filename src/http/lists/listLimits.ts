/** Limits concurrent imports, previews and long responses, per account and in total. */

import { Failure } from '../../domain/failure.ts'
import { openSlotPool } from '../../domain/load/slotPool.ts'
import type { Answer } from '../request/answer.ts'

export interface ListLimits {
  /** Concurrent responses of whole lists. */
  readonly longAnswers: ConcurrencyLimit
  readonly imports: ConcurrencyLimit
  /** Drafts tried over the newest evaluations. */
  readonly previews: ConcurrencyLimit
}

/** Opens the limits once, shared by all list routes. */
export function openListLimits(): ListLimits {
  return { longAnswers: openLimit(4, 32), imports: openLimit(1, 8), previews: openLimit(1, 8) }
}

/**
 * Counts one for the account until the returned function is called; a second call does nothing. Throws `rate_limited`
 * when the account has too many, `unavailable` when all accounts together have.
 */
export type ConcurrencyLimit = (account: string) => () => void

const retry = { retryAfterSeconds: 5 }

function openLimit(share: number, total: number): ConcurrencyLimit {
  const slots = openSlotPool({ total, share, waitingMax: 0, waitingShare: 0 })
  return (key) => {
    const taken: (() => void)[] = []
    const refused = slots.acquireSlots({ key, begin: (leave) => taken.push(leave) })
    if (taken[0]) return taken[0]
    throw refused === 'account'
      ? new Failure('rate_limited', 'The account has too many long requests under way.', retry)
      : new Failure('unavailable', 'The service is busy; try again.', retry)
  }
}

/** Does something that counts against the limits until it is done. */
export async function withinLimit<Result>(
  limit: ConcurrencyLimit,
  account: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const leave = limit(account)
  try {
    return await work()
  } finally {
    leave()
  }
}

/**
 * A streaming answer that counts against the limits until its body was sent, or cannot be made; `closed` is aborted
 * then.
 */
export async function streamWithinLimit(
  limit: ConcurrencyLimit,
  account: string,
  make: (
    closed: AbortSignal,
  ) => Promise<Omit<Answer, 'chunks'> & { readonly chunks: AsyncIterable<string | Uint8Array> }>,
): Promise<Answer> {
  const leave = limit(account)
  const closed = new AbortController()
  const onClosed = (): void => {
    leave()
    closed.abort()
  }
  try {
    const { chunks, ...answer } = await make(closed.signal)
    return { ...answer, chunks: { chunks, onClosed } }
  } catch (error) {
    onClosed()
    throw error
  }
}
