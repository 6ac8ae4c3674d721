import { duplexPair } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openProcessLine } from '../../src/domain/processLine.ts'
import { openRates, rateAnswers, ratesOver } from '../../src/http/middleware/rates.ts'

const rate = { burst: 3, perSecond: 1 }
const few = { rate: { burst: 1, perSecond: 1 }, kind: 'few', key: 'a' }
const many = { rate, kind: 'many', key: 'a' }

function lineTo(rates: ReturnType<typeof openRates>) {
  const [near, far] = duplexPair()
  const line = openProcessLine(near)
  line.serve({ answers: rateAnswers(rates) })
  const own = openProcessLine(far)
  return { line, own, rates: ratesOver(own) }
}

test('whoever is refused takes nothing from the buckets that stand after', async () => {
  const { take } = openRates(() => 0)
  await take('acc', [few, many])

  const refused = await take('acc', [few, many])

  expect(refused.allowed).toBe(false)
  expect(await take('acc', [many])).toMatchObject({ allowed: true, remaining: 1 })
})

test('the same key of another kind, or of another owner, is another bucket', async () => {
  const { take } = openRates(() => 0)
  await take('acc', [few])

  expect((await take('acc', [{ ...few, kind: 'others' }])).allowed).toBe(true)
  expect((await take('other', [few])).allowed).toBe(true)
  expect((await take('acc', [few])).allowed).toBe(false)
})

describe('several processes that ask the same one', () => {
  test('have one rate together, however they ask', async () => {
    const counted = openRates(() => 0)
    const lines = [lineTo(counted), lineTo(counted), lineTo(counted)]

    const standings = await Promise.all(
      Array.from({ length: 12 }, (_, at) => lines[at % 3]?.rates.take('acc', [many])),
    )

    expect(standings.filter((one) => one?.allowed)).toHaveLength(rate.burst)
    expect(standings.at(-1)).toEqual({ allowed: false, remaining: 0, waitSeconds: 1 })
    for (const { line, own } of lines) {
      own.close()
      line.close()
    }
  })

  test('are told that it is unavailable when that one has ended', async () => {
    const { line, own, rates } = lineTo(openRates(() => 0))
    line.close()
    await own.ended

    await expect(rates.take('acc', [many])).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('are told that it is unavailable when that one does not answer in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let count = () => {}
    const counted = openRates(() => 0)
    const held = new Promise<void>((resolve) => {
      count = resolve
    })
    const slow: typeof counted = {
      take: async (owner, buckets) => {
        await held
        return counted.take(owner, buckets)
      },
    }
    const { line, own, rates } = lineTo(slow)
    const outcomes: unknown[] = []
    const note = (outcome: unknown): void => void outcomes.push(outcome)

    rates.take('acc', [many]).then(note, note)
    vi.advanceTimersByTime(4_999)
    await nextTurn()
    expect(outcomes).toEqual([])
    vi.advanceTimersByTime(1)
    await nextTurn()

    expect(outcomes).toEqual([
      expect.objectContaining({ code: 'unavailable', status: 503, retryAfterSeconds: 1 }),
    ])
    count()
    // what comes too late is nobody's answer, and the line goes on
    expect(await rates.take('acc', [many])).toMatchObject({ allowed: true, remaining: 1 })
    expect(vi.getTimerCount()).toBe(0)
    own.close()
    line.close()
  })
})
