import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/domain/failure.ts'
import type { Principal } from '../../src/domain/principal.ts'
import type { HeavyQueryRunner } from '../../src/queries/heavyQueries.ts'
import { openQueryQueue } from '../../src/queries/heavyQueryQueue.ts'

const account = (accountId: string): Principal => ({
  kind: 'account',
  accountId,
  tokenId: 'tok',
  scopes: [],
})

const page = { account: 'x', limit: 10 }

/** Questions that are answered when the test says so, and the reasons for which others were refused. */
function slowAnswers(answerMs = 60_000) {
  const begun: { readonly account: string; readonly end: () => void }[] = []
  const refused: string[] = []
  const signals: AbortSignal[] = []
  const answer: HeavyQueryRunner['run'] = (_, asked, signal) =>
    new Promise((resolve, reject) => {
      signals.push(signal)
      signal.addEventListener('abort', () => reject(new Error('given up')))
      begun.push({ account: Object(asked).account, end: () => resolve({ items: [] }) })
    })
  const queries = openQueryQueue({
    runner: { run: answer },
    onRefused: (reason) => refused.push(reason),
    answerMs,
  })
  const from = (who: string) => queries.listRules(account(who), { ...page, account: who })
  return { queries, from, begun, refused, signals, who: () => begun.map((one) => one.account) }
}

describe('heavy questions', () => {
  test('are answered two at a time for an account and four for all, the others in turn', async () => {
    const { from, begun, who } = slowAnswers()
    const all = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'c'].map(from)
    await nextTurn()
    const atOnce = who()

    for (let ended = 0; ended < all.length; ended += 1) {
      begun[ended]?.end()
      await nextTurn()
    }
    await Promise.all(all)

    expect(atOnce).toEqual(['a', 'a', 'b', 'b'])
    expect(who().slice(4)).toEqual(['a', 'c', 'b', 'a'])
  })

  test('that are too many for an account to wait are refused, and counted', async () => {
    const { from, refused, who } = slowAnswers()
    const asked = Array.from({ length: 2 + 64 + 3 }, () =>
      from('a').catch((error: Failure) => error),
    )
    const first = await Promise.race(asked)
    void from('b').catch(() => undefined)
    await nextTurn()

    expect(first).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 })
    expect(refused).toEqual(['heavy_reads', 'heavy_reads', 'heavy_reads'])
    expect(who()).toEqual(['a', 'a', 'b'])
  })

  test('are given up when there is no answer in time: those under way are told, and leave their slots', async () => {
    const { from, who, signals } = slowAnswers(30)
    const failures = await Promise.all(
      ['a', 'a', 'a'].map((who) => from(who).catch((error: Failure) => error)),
    )
    const given = signals.map((signal) => signal.aborted)
    await nextTurn()
    void from('later').catch(() => undefined)
    await nextTurn()

    expect(failures).toMatchObject(
      failures.map(() => ({ code: 'unavailable', retryAfterSeconds: 1 })),
    )
    expect(given.slice(0, 2)).toEqual([true, true])
    expect(who().at(-1)).toBe('later')
  })
})
