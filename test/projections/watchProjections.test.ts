import { expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import type { ProjectionState } from '../../src/projections/running/projections.ts'
import { publishStates } from '../../src/projections/running/publishedStates.ts'
import { startRunner } from '../../src/projections/running/runner.ts'
import { watchProjections } from '../../src/projections/running/watchProjections.ts'
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
    nowMs: () => nowMs,
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
    everyMs: 1,
  })
  onTestFinished(seen.close)
  onTestFinished(runner.close)
  return {
    log,
    runner,
    seen,
    published,
    publish,
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

test('what is parked there is counted here, and applied again there only', async () => {
  const { log, seen } = open()
  await eventually(() => seen.progress()[0]?.status === 'live')
  log.add('s', 'LetterAdded', { ids: ['p'], letter: '!' })
  const { position } = log.add('s', 'LetterAdded', { ids: ['p'], letter: 'b' })

  expect(await seen.waitFor(position, 60_000)).toBe(true)

  await eventually(() => seen.progress()[0]?.parked === 2)
  await expect(seen.retryParked('letters')).rejects.toMatchObject({ code: 'unavailable' })
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

test('a read store that is away is shown as such, and comes back', async () => {
  const { seen, setAway } = open()
  await eventually(() => seen.progress()[0]?.status === 'live')

  setAway(true)
  await eventually(() => seen.progress()[0]?.error === 'the read store is away')
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
