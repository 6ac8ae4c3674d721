import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { hashPassword } from '../../src/auth/passwordHash.ts'
import {
  type HashWork,
  openPasswordHashing,
} from '../../src/commands/sessions/passwords/passwordHashing.ts'
import type { Failure } from '../../src/domain/failure.ts'
import { openMetrics } from '../../src/metrics/openMetrics.ts'

const random = { bytes: (count: number) => new Uint8Array(count).fill(7) }

/** A queue whose hashes are computed when the test says so; each is named by its password. */
function held(places = 2) {
  const begun: string[] = []
  const compared: string[] = []
  const ends: (() => void)[] = []
  const { passwords } = openMetrics()
  let waiting = () => 0
  const counted = { hashed: 0, refused: new Map<string, number>() }
  const meter = {
    ...passwords,
    countHash: () => {
      counted.hashed += 1
    },
    countRefusal: (reason: string) => {
      counted.refused.set(reason, (counted.refused.get(reason) ?? 0) + 1)
    },
    watchQueue: (ask: () => number) => {
      waiting = ask
    },
  }
  const work: HashWork = {
    hash: (password) =>
      new Promise((resolve) => {
        begun.push(password)
        ends.push(() => resolve(`hash of ${password}`))
      }),
    matches: async (password, kept) => {
      compared.push(kept)
      return kept === `hash of ${password}` || password === 'matches all'
    },
  }
  const hashing = openPasswordHashing({ random, meter, work, slots: places })
  const endOne = async (): Promise<void> => {
    ends.shift()?.()
    await turn()
  }
  return { hashing, begun, compared, counted, endOne, ends, waiting: () => waiting() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** What each ends with: its value, or the code of its failure and when to come again. */
async function outcomes(all: readonly Promise<unknown>[]): Promise<readonly string[]> {
  const settled = await Promise.allSettled(all)
  return settled.map((one) => {
    if (one.status === 'fulfilled') return String(one.value)
    const { code, retryAfterSeconds } = one.reason as Failure
    return `${code} ${retryAfterSeconds}`
  })
}

describe('a flood of one account', () => {
  test('computes a few at once, waits with a few more, and is told when to come again', async () => {
    const { hashing, begun, counted, endOne, ends, waiting } = held(2)

    const all = Array.from({ length: 100 }, (_, at) => hashing.hash('a', `a${at}`))
    const told = outcomes(all)
    await turn()

    expect(begun).toEqual(['a0', 'a1'])
    expect(waiting()).toBe(16)
    expect(counted.refused).toEqual(new Map([['account_busy', 82]]))
    while (ends.length > 0) {
      expect(ends.length).toBeLessThanOrEqual(2)
      await endOne()
    }
    expect((await told).filter((one) => one === 'rate_limited 1')).toHaveLength(82)
    expect(counted.hashed).toBe(18)
  })

  test('has another account wait for no more than are computed at once', async () => {
    const { hashing, begun, endOne, ends } = held(2)
    const flood = outcomes(Array.from({ length: 18 }, (_, at) => hashing.hash('a', `a${at}`)))

    const other = hashing.hash('b', 'b0')
    await turn()
    await endOne()
    await endOne()

    expect(begun).toEqual(['a0', 'a1', 'a2', 'b0'])
    while (ends.length > 0) await endOne()
    expect(await other).toBe('hash of b0')
    expect(await flood).not.toContain('rate_limited 1')
  })
})

test('all together never wait without end', async () => {
  const { hashing, counted, endOne, ends } = held(1)

  const all = Array.from({ length: 60 }, (_, at) => hashing.hash(`account ${at % 10}`, `${at}`))
  const told = outcomes(all)
  await turn()

  expect(counted.refused).toEqual(new Map([['busy', 27]]))
  while (ends.length > 0) await endOne()
  expect((await told).filter((one) => one === 'unavailable 1')).toHaveLength(27)
})

describe('whose turn does not come', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test('is told so in time, and is not computed later', async () => {
    const { hashing, begun, endOne, waiting } = held(1)
    const first = hashing.hash('a', 'a0')
    const told = outcomes([hashing.hash('a', 'a1')])
    await turn()

    vi.advanceTimersByTime(5_000)

    expect(await told).toEqual(['unavailable 1'])
    expect(waiting()).toBe(0)
    await endOne()
    expect(await first).toBe('hash of a0')
    expect(begun).toEqual(['a0'])
  })
})

describe('a password', () => {
  test('of nobody is compared as one of somebody is, and matches nothing', async () => {
    const { hashing, compared, counted } = held()

    const answers = [
      await hashing.matches('a', 'secret', undefined),
      await hashing.matches('a', 'matches all', undefined),
      await hashing.matches('a', 'secret', 'hash of secret'),
      await hashing.matches('a', 'wrong', 'hash of secret'),
    ]

    expect(answers).toEqual([false, false, true, false])
    expect(counted.hashed).toBe(4)
    const real = await hashPassword('secret', random)
    expect(compared[0]?.split('$').slice(0, 4)).toEqual(real.split('$').slice(0, 4))
  })

  test('that cannot be compared gives its place back', async () => {
    const { passwords } = openMetrics()
    const broken: HashWork = {
      hash: () => {
        throw new Error('no memory')
      },
      matches: async () => true,
    }
    const hashing = openPasswordHashing({ random, meter: passwords, work: broken, slots: 1 })

    await expect(hashing.hash('a', 'secret')).rejects.toThrow('no memory')

    expect(await hashing.matches('a', 'secret', 'kept')).toBe(true)
  })
})
