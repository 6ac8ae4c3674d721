/** Hashes and verifies passwords in a few slots, shared fairly between the accounts. */

import { availableParallelism } from 'node:os'
import {
  defaultHashCost,
  type HashCost,
  hashPassword,
  makeDecoyHash,
  needsRehash,
  verifyPassword,
} from '../../../auth/passwordHash.ts'
import type { Random } from '../../../domain/clock.ts'
import { Failure } from '../../../domain/failure.ts'
import { openSlotPool, runInSlot } from '../../../domain/load/slotPool.ts'
import type { Metrics } from '../../../metrics/openMetrics.ts'

export interface PasswordHashing {
  /**
   * The hash of a password in its canonical form, one account after the other. Throws `rate_limited` when too many of
   * the account wait, `unavailable` when too many of all do, or its turn does not come in time.
   */
  readonly hash: (account: string, password: string) => Promise<string>
  /** Whether the password has this hash; for none the same work is done in vain. Throws like `hash`. */
  readonly matches: (account: string, password: string, stored?: string) => Promise<boolean>
  /** Whether a hash costs less than hashes cost today. */
  readonly isOutdated: (stored: string) => boolean
}

/** Computes them; argon2id unless given. */
export interface HashWork {
  readonly hash: (password: string) => Promise<string>
  readonly matches: (password: string, stored: string) => Promise<boolean>
}

export interface PasswordHashingOptions {
  readonly random: Random
  readonly meter: Pick<Metrics['passwords'], 'countHash' | 'countRefusal' | 'watchQueue'>
  readonly work?: HashWork
  /** What a hash costs; as OWASP has it unless given. */
  readonly cost?: HashCost
  /** Computed at once, of all accounts together. */
  readonly slots?: number
}

/**
 * A hash takes about 20 MiB and a core for some hundredths of a second, on one of the four threads of libuv's pool that
 * also write the log, look up names and unpack bodies. So at most half of that pool, and where it can be, a core is
 * left to the thread that answers.
 */
const slotsUsual = Math.min(2, Math.max(1, availableParallelism() - 1))
/** They wait for about a second at the most on a slow machine. */
const waitingMax = 32
const waitingShare = 16
const waitMaxMs = 5_000
const retryAfterSeconds = 1

/** Opens the queue of one process. */
export function openPasswordHashing(options: PasswordHashingOptions): PasswordHashing {
  const { random, meter, cost = defaultHashCost, slots = slotsUsual } = options
  const work = options.work ?? {
    hash: (password: string) => hashPassword(password, random, cost),
    matches: verifyPassword,
  }
  // an account that computes alone may take all slots: another one begins as soon as one of them ends
  const queue = openSlotPool({ total: slots, share: slots, waitingMax, waitingShare })
  meter.watchQueue(queue.waiting)
  const decoy = makeDecoyHash(random, cost)

  const inSlot = <Value>(account: string, compute: () => Promise<Value>): Promise<Value> =>
    runInSlot(queue, {
      key: account,
      waitMaxMs,
      work: () => {
        meter.countHash()
        return compute()
      },
      refusal: (why) => {
        meter.countRefusal(refusals[why])
        return why === 'account'
          ? new Failure('rate_limited', accountBusy, { retryAfterSeconds })
          : new Failure('unavailable', 'Too many passwords are being hashed; try again.', {
              retryAfterSeconds,
            })
      },
    })

  return {
    hash: (account, password) => inSlot(account, () => work.hash(password)),
    matches: (account, password, stored) =>
      inSlot(account, async () => {
        const matches = await work.matches(password, stored ?? decoy)
        return stored !== undefined && matches
      }),
    isOutdated: (stored) => needsRehash(stored, cost),
  }
}

const refusals = { late: 'too_slow', account: 'account_busy', all: 'busy' } as const

const accountBusy = 'Too many passwords of the account are being hashed; try again later.'
