import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openRefusalLogLimiter } from '../../src/http/middleware/recordRequests.ts'
import { eachSecond } from '../support/eachSecond.ts'
import { memoryService } from './support/memoryService.ts'
import { openDoorOfTest } from './support/openDoorOfTest.ts'

/** A log of which the lines are kept. */
function keptLog() {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) })
  return { logger, lines }
}

test('given a flood of one code, then so many have lines, the others are summed up when the second is over, and other codes keep theirs', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { logger, lines } = keptLog()
  const unlogged: string[] = []
  const isLogged = openRefusalLogLimiter({
    logger,
    meter: { countUnlogged: (code) => unlogged.push(code) },
    linesPerSecond: 3,
  })

  const first = Array.from({ length: 10 }, () => isLogged('rate_limited'))
  const other = isLogged('not_found')
  const unexpected = Array.from({ length: 10 }, () => isLogged('internal'))
  vi.advanceTimersByTime(1_000)
  const next = isLogged('rate_limited')

  expect(first.filter(Boolean)).toHaveLength(3)
  expect([other, next, ...unexpected]).not.toContain(false)
  expect(unlogged).toEqual(Array.from({ length: 7 }, () => 'rate_limited'))
  expect(lines).toMatchObject([{ code: 'rate_limited', left_out: 7 }])
})

test('of a flood of refused requests few are logged, and how many were not is counted', async () => {
  const { logger, lines } = keptLog()
  const { request, metric } = await openDoorOfTest(memoryService(), {
    ...{ logger, linesPerSecond: 5, nowMs: eachSecond() },
  })
  const refused = Array.from({ length: 40 }, () =>
    request('GET', '/v2/watch/management/rules', { token: 'unknown' }),
  )
  await Promise.all(refused)

  const logged = lines.filter(({ code }) => code === 'invalid_api_token')
  const ofRequests = logged.filter(({ msg }) => msg === 'request')
  const left = await metric('unlogged_total', { code: 'invalid_api_token' })
  expect(ofRequests.length + (left ?? 0)).toBe(40)
  expect(left).toBeGreaterThan(0)
})
