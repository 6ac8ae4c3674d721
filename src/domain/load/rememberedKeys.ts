/** Sets how long and how many `Idempotency-Key`s are known, as promised to callers. */

/** How long after a command its key is known, by the times of the two commands. */
export const keyKnownMs = 24 * 60 * 60 * 1_000

/** Keys known at a time for one account's rulebook, and for its access and tokens. */
export const keysKnownMax = 1_000
