import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import type { ProjectionState } from '../../src/projections/running/projections.ts'
import { serveRetryRequests } from '../../src/projections/running/retryParked.ts'
import { startRunner } from '../../src/projections/running/runner.ts'
import { publishStates, watchProjections } from '../../src/projections/running/watchProjections.ts'
import { eventually } from '../support/eventually.ts'
import { decodeLetters, letters } from './lettersProjection.ts'
import { memoryLog } from './memoryEventStore.ts'
import { memoryDisk, memoryReadStore } from './memoryReadStore.ts'

/** One instance that runs the projection of letters, and one that sees it through the read store. */
function open() {
  const [log, disk, poison] = [memoryLog(), memoryDisk(), new Set(['!'])]
  const projections = [letters({ poison })]
  let away = false
  let nowMs = 1_000
  const alarms: string[] = []
  const readStore = memoryReadStore(disk)
  const runner = startRunner({
    eventStore: log,
    readStore,
    projections,
    decode: decodeLetters,
    onOtherLog: 'refuse',
    pace: { backoffMs: 1, backoffMaxMs: 2, restMs: 1 },
  })
  const publish = (states: () => readonly ProjectionState[] = runner.progress) => {
    const onAlarm = ({ message }: { message: string }) => alarms.push(message)
    const published = publishStates({ readStore, states, nowMs: () => nowMs, onAlarm })
    onTestFinished(published.close)
    return published
  }
  const published = publish()
  const seen = watchProjections({
    readStore: memoryReadStore(disk, () => {
      if (away) throw new Failure('unavailable', 'the read store is away')
    }),
    projections,
    nowMs: () => nowMs,
    newId: randomUUID,
    everyMs: 1,
    withinMs: 60,
  })
  onTestFinished(seen.close)
  onTestFinished(runner.close)
  return {
    log,
    runner,
    seen,
    published,
    publish,
    poison,
    serve: () => {
      const onFault = (error: unknown) => alarms.push(String(error))
      const retry = runner.retryParked
      const served = serveRetryRequests({
        readStore,
        retry,
        nowMs: () => nowMs,
        everyMs: 1,
        onFault,
      })
      onTestFinished(served.close)
      return served
    },
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

test('what another instance has handled is waited for, and shown as that one shows it', async () => {
  const { log, seen, runner } = open()
  log.add('s', 'LetterAdded', { ids: ['w'], letter: 'a' })
  const { position } = log.add('s', 'LetterAdded', { ids: ['w'], letter: 'b' })

  expect(await seen.waitFor(position, 60_000)).toBe(true)

  await eventually(() => seen.progress()[0]?.status === 'live')
  expect(seen.progress()).toEqual(runner.progress())
  expect([seen.position(), seen.active('letters')]).toEqual([position, 1])
})

test('what is parked there is counted here, and applied again there when it is asked for here', async () => {
  const { log, seen, serve, poison, runner, disk } = open()
  serve()
  await eventually(() => seen.progress()[0]?.status === 'live')
  log.add('s', 'LetterAdded', { ids: ['p'], letter: '!' })
  const { position } = log.add('s', 'LetterAdded', { ids: ['p'], letter: 'b' })

  expect(await seen.waitFor(position, 60_000)).toBe(true)

  await eventually(() => seen.progress()[0]?.parked === 2)
  await eventually(() => disk.checkpoints.has('retry_requests@1'))
  const refused = await seen.retryParked('letters')
  expect(refused).toMatchObject({ applied: 0, parked: 2, left: [{ error: 'a poison letter' }, {}] })
  poison.clear()
  expect(await seen.retryParked('letters')).toEqual({ applied: 2, parked: 0, left: [] })
  expect(runner.progress()[0]?.parked).toBe(0)
  // nothing of a request stays once its answer was fetched
  await eventually(() => disk.collections.get('retry_requests@1')?.size === 0)
})

test('a retry that nobody answers is said to be asked for, and is carried out by who comes', async () => {
  const { log, seen, serve, poison, runner, disk } = open()
  await eventually(() => seen.progress()[0]?.status === 'live')
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
  const requests = () => [...(disk.collections.get('retry_requests@1')?.values() ?? [])]
  await eventually(() => requests().every(({ body }) => body?.['state'] === 'done'))
  expect(requests()).toHaveLength(100)
  pass(11 * 60 * 1_000)

  await eventually(() => requests().length === 0)
})

test('when nobody is heard for long enough it is failing, and nobody waits', async () => {
  const { log, seen, published, pass, publish } = open()
  await eventually(() => seen.progress()[0]?.status === 'live')

  await published.close()
  pass(4_000)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(seen.progress()[0]?.status).toBe('live')
  pass(2_000)
  await eventually(() => seen.progress()[0]?.status === 'failing')
  const [head] = [log.events.at(-1)?.position ?? 0]
  expect(await seen.waitFor(head + 1, 60_000)).toBe(false)

  publish()
  await eventually(() => seen.progress()[0]?.status === 'live')
})

test('a read store that is away is shown as such, with what was known before, and comes back', async () => {
  const { log, seen, setAway } = open()
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
  const { publish, alarms } = open()

  publish(() => {
    throw new Error('no states')
  })

  await eventually(() => alarms.length > 0)
  expect(alarms).toEqual(['the states of the projections are not published any more: no states'])
})
