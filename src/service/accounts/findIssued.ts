/** Something of an account behind its id, also when another instance has issued it a moment ago. */

import { Failure } from '../../domain/failure.ts'
import { lru } from '../../domain/lru.ts'
import type { AccountState } from '../../events/accounts/account.ts'
import { accountStream, type ServiceContext } from '../opening/serviceContext.ts'

/** For how long what was looked for in vain is not looked for again. */
const missedMs = 500
/** Ids remembered as missed; one that was forgotten is looked for again. */
const missesMax = 10_000
/** Looks into the log at a time, and those that may wait for their turn. */
const atOnceMax = 16
const waitingMax = 1_000

/** What is sought, and where. */
interface Kind<One> {
  readonly in: (state: AccountState) => ReadonlyMap<string, One>
  /** What they are called in a refusal. */
  readonly called: string
  /** Looks into the log in a second. */
  readonly perSecondMax: number
}

/** The id of one, and of its account. */
interface Sought {
  readonly accountId: string
  readonly id: string
}

/**
 * Answers the one sought as this instance holds it, or else after one look into the log: what is not in it then is unknown. Whoever sends
 * ids that do not exist costs a bounded number of looks at a time and in a second, each no more than one question to the store. Throws
 * `unavailable` when too many are looked for, and when the log cannot be read.
 */
export function openFindIssued<One>(
  { accounts, clock }: Pick<ServiceContext, 'accounts' | 'clock'>,
  kind: Kind<One>,
): (sought: Sought) => Promise<One | undefined> {
  const missedAtMs = lru<string, number>(missesMax)
  const tooMany = (): Failure =>
    new Failure('unavailable', `Too many unknown ${kind.called} are being looked for; try again.`, {
      retryAfterSeconds: 1,
    })
  const looks = openLane(tooMany)
  const isWithinRate = openRate(clock, kind.perSecondMax)

  return async ({ accountId, id }) => {
    const stream = accountStream(accountId)
    if (accounts.peek(stream)) {
      const held = kind.in((await accounts.folded(stream)).state).get(id)
      if (held) return held
    }
    const key = `${accountId} ${id}`
    const beforeMs = missedAtMs.get(key)
    if (beforeMs !== undefined && Math.abs(clock.nowMs() - beforeMs) < missedMs) return undefined
    if (!isWithinRate()) throw tooMany()
    const { state } = await looks.run(() => accounts.catchUp(stream))
    const found = kind.in(state).get(id)
    if (!found) missedAtMs.set(key, clock.nowMs())
    return found
  }
}

/** Whether one more may be done in this second. */
function openRate({ nowMs }: ServiceContext['clock'], perSecondMax: number): () => boolean {
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
function openLane(tooMany: () => Failure): Lane {
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
