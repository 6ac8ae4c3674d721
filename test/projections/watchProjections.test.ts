import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import {
  publishProjections,
  watchProjections,
} from '../../src/projections/running/projectionStateExchange.ts'
import { eventually } from '../support/eventually.ts'
import { decodeLetters, letters } from './lettersProjection.ts'
import { memoryLog } from './memoryEventStore.ts'
import { memoryDisk, memoryReadStore } from './memoryReadStore.ts'
import { runTracked, tracked } from './trackProjections.ts'

/** One instance that runs the projection of letters, and one that sees it through the read store. */
function open() {
  const [log, disk, poison] = [memoryLog(), memoryDisk(), new Set(['!'])]
  const projections = [letters({ poison })]
  let away = false
  let nowMs = 1_000
  const alarms: string[] = []
  const readStore = memoryReadStore(disk)
  const runner = runTracked({
    eventStore: log,
    readStore,
    projections,
    decode: decodeLetters,
    onOtherLog: 'refuse',
    pace: { backoffMs: 1, backoffMaxMs: 2, delayMs: 1 },
  })
  const serve = (projections: Parameters<typeof publishProjections>[0]['projections'] = runner) => {
    const onAlarm = ({ message }: { message: string }) => alarms.push(message)
    const served = publishProjections({ readStore, projections, nowMs: () => nowMs, onAlarm })
    onTestFinished(served.close)
    return served
  }
  const seen = tracked(projections, (onProgress) =>
    watchProjections({
      readStore: memoryReadStore(disk, () => {
        if (away) throw new Failure('unavailable', 'the read store is away')
      }),
      projections,
      nowMs: () => nowMs,
      newId: randomUUID,
      onProgress,
      everyMs: 1,
      withinMs: 400,
    }),
  )
  onTestFinished(seen.close)
  onTestFinished(runner.close)
  return {
    log,
    runner,
    seen,
    poison,
    serve,
    disk,
    alarms,
    pass: (ms: number) => {
      nowMs += ms
    },
    setAway: (is: boolean) => {
      away = is
    },
  }
}

const requestsIn = (disk: ReturnType<typeof memoryDisk>) =>
  [...(disk.collections.get('retry_requests@1')?.values() ?? [])].filter(({ body }) => body)

test('a retry that nobody answers is said to be asked for, and is carried out by who comes', async () => {
  const { log, seen, serve, poison, runner, disk } = open()
  await expect(seen.retryParked('letters')).rejects.toMatchObject({
    code: 'unavailable',
    message: 'No instance has run the projections yet.',
  })
  const first = serve()
  await eventually(() => disk.checkpoints.has('retry_requests@1'))
  await first.close()
  log.add('s', 'LetterAdded', { ids: ['p'], letter: '!' })
  await eventually(() => runner.progress()[0]?.parked === 1)
  poison.clear()

  await expect(seen.retryParked('letters')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/has been asked and has not answered yet/),
  })
  expect(runner.progress()[0]?.parked).toBe(1)
  serve()

  await eventually(() => runner.progress()[0]?.parked === 0)
})

test('a retry that fails is an alarm there, and is said here', async () => {
  const { seen, serve, runner, disk, alarms } = open()
  serve({
    ...runner,
    retryParked: () => Promise.reject(new Error('no such document')),
  })
  await eventually(() => disk.checkpoints.has('retry_requests@1'))

  await expect(seen.retryParked('letters')).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The instance that runs the projections could not do it; its log says why.',
  })
  expect(alarms).toEqual(['parked events cannot be applied again: no such document'])
})

test('no more than so many wait for an answer, and old answers go', async () => {
  const { seen, serve, disk, pass } = open()
  const first = serve()
  await eventually(() => disk.checkpoints.has('retry_requests@1'))
  await first.close()
  const asks = Array.from({ length: 100 }, () => seen.retryParked('letters'))
  const asked = await Promise.allSettled(asks)
  expect(asked.every(({ status }) => status === 'rejected')).toBe(true)

  await expect(seen.retryParked('letters')).rejects.toMatchObject({
    message: 'Too many requests of this kind wait.',
  })
  serve()
  await eventually(() => requestsIn(disk).every(({ body }) => body?.['retried'] !== undefined))
  expect(requestsIn(disk)).toHaveLength(100)
  pass(11 * 60 * 1_000)

  await eventually(() => requestsIn(disk).length === 0)
})

test('when no states are published for long enough it is failing, and nobody waits', async () => {
  const { log, seen, serve, pass } = open()
  const served = serve()
  await eventually(() => seen.progress()[0]?.status === 'live')

  await served.close()
  pass(4_000)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(seen.progress()[0]?.status).toBe('live')
  pass(2_000)
  await eventually(() => seen.progress()[0]?.status === 'failing')
  const [head] = [log.events.at(-1)?.position ?? 0]
  expect(await seen.waitFor(head + 1, 60_000)).toBe(false)

  serve()
  await eventually(() => seen.progress()[0]?.status === 'live')
})

test('a read store that is away is shown as such, with what was known before, and comes back', async () => {
  const { log, seen, serve, setAway } = open()
  serve()
  const { position } = log.add('s', 'LetterAdded', { ids: ['w'], letter: 'a' })
  expect(await seen.waitFor(position, 60_000)).toBe(true)
  await eventually(() => seen.progress()[0]?.status === 'live')

  setAway(true)
  await eventually(() => seen.progress()[0]?.error === 'the read store is away')
  expect(seen.progress()[0]).toMatchObject({ status: 'failing', position, active: 1 })
  setAway(false)

  await eventually(() => seen.progress()[0]?.status === 'live')
  expect(seen.progress()[0]?.error).toBeUndefined()
})

test('what stops the publishing for good is an alarm', async () => {
  const { serve, runner, alarms } = open()

  serve({
    ...runner,
    progress: () => {
      throw new Error('no states')
    },
  })

  await eventually(() => alarms.length > 0)
  expect(alarms).toEqual(['the states of the projections are not published any more: no states'])
})
