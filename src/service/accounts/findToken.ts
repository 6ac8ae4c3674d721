/** The token behind its id, also one that another instance has issued a moment ago. */

import type { ApiTokenParts } from '../../auth/apiToken.ts'
import { Failure } from '../../domain/failure.ts'
import { lru } from '../../domain/lru.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import { accountStream, type ServiceContext } from '../opening/serviceContext.ts'

/** For how long a token that was looked for in vain is not looked for again. */
const missedMs = 500
/** Tokens remembered as missed; one that was forgotten is looked for again. */
const missesMax = 10_000
/** Looks into the log at a time, and those that may wait for their turn. */
const atOnceMax = 16
const waitingMax = 1_000
/** Looks into the log in a second. */
const perSecondMax = 2_000

type Token = AccountState['tokens'] extends ReadonlyMap<string, infer One> ? One : never

/**
 * Answers the token as this instance holds it, or else after one look into the log: what is not in it then is unknown. Whoever sends
 * tokens that do not exist costs a bounded number of looks at a time and in a second, each no more than one question to the store. Throws
 * `unavailable` when too many are looked for, and when the log cannot be read.
 */
export function openFindToken({
  accounts,
  clock,
}: Pick<ServiceContext, 'accounts' | 'clock'>): (
  parts: Pick<ApiTokenParts, 'accountId' | 'tokenId'>,
) => Promise<Token | undefined> {
  const missedAtMs = lru<string, number>(missesMax)
  const looks = openLane()
  const isWithinRate = openRate(clock)

  return async ({ accountId, tokenId }) => {
    const stream = accountStream(accountId)
    if (accounts.peek(stream)) {
      const held = (await accounts.folded(stream)).state.tokens.get(tokenId)
      if (held) return held
    }
    const key = `${accountId} ${tokenId}`
    const beforeMs = missedAtMs.get(key)
    if (beforeMs !== undefined && Math.abs(clock.nowMs() - beforeMs) < missedMs) return undefined
    if (!isWithinRate()) throw tooMany()
    const { state } = await looks.run(() => accounts.catchUp(stream))
    const found = state.tokens.get(tokenId)
    if (!found) missedAtMs.set(key, clock.nowMs())
    return found
  }
}

/** Whether one more may be done in this second. */
function openRate({ nowMs }: ServiceContext['clock']): () => boolean {
  let second = 0
  let done = 0
  return () => {
    const now = Math.floor(nowMs() / 1_000)
    if (now !== second) {
      second = now
      done = 0
    }
    done += 1
    return done <= perSecondMax
  }
}

interface Lane {
  readonly run: <Value>(work: () => Promise<Value>) => Promise<Value>
}

/** Works a few at a time; the others wait, not more than so many. */
function openLane(): Lane {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    run: async (work) => {
      if (running >= atOnceMax) {
        if (waiting.length >= waitingMax) throw tooMany()
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else running += 1
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else running -= 1
      }
    },
  }
}

function tooMany(): Failure {
  return new Failure(
    'unavailable',
    'Too many unknown API tokens are being looked for; try again.',
    {
      retryAfterSeconds: 1,
    },
  )
}
