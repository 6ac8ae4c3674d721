/** Several instances share the projections of one log: one at a time runs them, whatever happens to whom. */

import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { otherOwnerStatus } from '../../src/projections/running/projectionState.ts'
import { leaseTimes, shareProjections } from '../../src/projections/running/shareProjections.ts'
import { eventually } from '../support/eventually.ts'
import { freezableStore } from '../support/freezableStore.ts'
import { decodeLetters, letters, plainFold } from './lettersProjection.ts'
import { memoryLog } from './memoryEventStore.ts'
import { memoryDisk, memoryReadStore } from './memoryReadStore.ts'

/** One log, one disk and one clock, which stands still unless it is moved. */
function openShared() {
  const [log, disk, poison] = [memoryLog(), memoryDisk(), new Set(['!'])]
  let nowMs = 1_000_000

  const start = (owner: string, isAway = false, mayRun = true) => {
    const alarms: string[] = []
    const [history, hearing]: [boolean[], boolean[]] = [[], []]
    let away = isAway
    let leaseStatus = otherOwnerStatus
    const fault = (): void => {
      if (away) throw new Failure('unavailable', 'the read store is away')
    }
    const gate = freezableStore(memoryReadStore(disk, fault, () => nowMs))
    const projections = shareProjections({
      eventStore: log,
      readStore: gate.store,
      projections: [letters({ poison })],
      decode: decodeLetters,
      onOtherLog: 'rebuild',
      owner,
      mayRun,
      nowMs: () => nowMs,
      newId: randomUUID,
      onAlarm: ({ message }) => alarms.push(message),
      onProgress: () => undefined,
      onLeaseStatus: (now) => {
        leaseStatus = now
        history.push(now.isOwner)
        hearing.push(now.isRunning)
      },
      times: { ...leaseTimes, renewEveryMs: 1, askEveryMs: 1 },
      pace: { backoffMs: 1, backoffMaxMs: 2, delayMs: 1 },
      everyMs: 1,
      withinMs: 2_000,
    })
    onTestFinished(async () => {
      away = false
      gate.thaw()
      await projections.close()
    })
    return {
      projections,
      gate,
      alarms,
      history,
      hearing,
      leaseStatus: () => leaseStatus,
      holds: () => leaseStatus.isOwner,
      setAway: (is: boolean) => {
        away = is
      },
    }
  }
  const add = (letter: string) => log.add('s', 'LetterAdded', { ids: ['p'], letter }).position
  const pass = (ms: number): void => {
    nowMs += ms
  }
  return { log, disk, poison, start, add, pass }
}

const wordsIn = (disk: ReturnType<typeof memoryDisk>) =>
  Object.fromEntries(
    [...(disk.collections.get('letters@1') ?? [])].map(([id, { body }]) => [id, body?.['text']]),
  )

test('one runs them and the other shows the same', async () => {
  const { add, start, disk, log } = openShared()
  const first = start('a')
  await eventually(first.holds)
  const second = start('b')

  const position = add('x')

  expect(await second.projections.waitFor(position, 60_000)).toBe(true)
  await eventually(() => second.projections.progress()[0]?.status === 'live')
  expect(second.projections.progress()).toEqual(first.projections.progress())
  expect([first.holds(), second.holds()]).toEqual([true, false])
  expect(second.gate.calls('commit')).toBe(0)
  expect(wordsIn(disk)).toEqual(plainFold(log.events))
})

test('when the one is closed the other goes on at once', async () => {
  const { add, start, disk, log } = openShared()
  const first = start('a')
  await eventually(first.holds)
  const second = start('b')
  await first.projections.waitFor(add('x'), 60_000)

  await first.projections.close()

  await eventually(second.holds)
  expect(await second.projections.waitFor(add('y'), 60_000)).toBe(true)
  expect(wordsIn(disk)).toEqual(plainFold(log.events))
  expect(second.leaseStatus()).toEqual({ isOwner: true, fence: 2, isRunning: true })
})

test('what one parked that then stopped is not parked by it once another has applied it', async () => {
  const { add, start, disk, log, pass, poison } = openShared()
  const first = start('a')
  await eventually(first.holds)
  const second = start('b')
  await first.projections.waitFor(add('x'), 60_000)
  await eventually(() => second.projections.progress()[0]?.status === 'live')
  first.gate.freeze('commit')
  add('!')
  await eventually(() => first.gate.waiting() > 1)

  poison.clear()
  pass(leaseTimes.forMs)
  await eventually(second.holds)
  await second.projections.waitFor(add('y'), 60_000)
  first.gate.thaw()

  await eventually(() => !first.holds())
  expect(wordsIn(disk)).toEqual(plainFold(log.events))
  expect(disk.collections.get('parked_letters@1')?.size).toBe(0)
})

test('a version that another has begun to read again is not dropped by one who stopped', async () => {
  const { add, start, disk, pass } = openShared()
  const old = { projection: 'letters', position: 0, ready: true, collections: ['letters'] }
  for (const version of [-2, -1, 0]) {
    disk.collections.set(`letters@${version}`, new Map())
    disk.checkpoints.set(`letters@${version}`, { ...old, version })
  }
  const first = start('a')
  first.gate.freeze('drop')
  add('x')
  await eventually(() => first.gate.waiting() > 1)

  pass(leaseTimes.forMs)
  const second = start('b')
  await eventually(second.holds)
  const kept = [...disk.checkpoints.keys()].filter((key) => key.startsWith('letters@'))
  first.gate.thaw()
  await eventually(() => !first.holds())

  expect(first.gate.calls('drop')).toBe(1)
  expect([...disk.checkpoints.keys()]).toEqual(expect.arrayContaining(kept))
})

test('when the one stops, the other goes on after the lease, and the one that wakes writes nothing', async () => {
  const { add, start, disk, log, pass } = openShared()
  const first = start('a')
  await eventually(first.holds)
  const second = start('b')
  await first.projections.waitFor(add('x'), 60_000)

  // stopped with a batch in hand
  first.gate.freeze()
  add('y')
  await eventually(() => first.gate.waiting() > 0)
  pass(leaseTimes.forMs - 1)
  const asks = second.gate.calls('acquire')
  await eventually(() => second.gate.calls('acquire') > asks + 2)
  expect(second.holds()).toBe(false)
  pass(1)
  await eventually(second.holds)
  expect(await second.projections.waitFor(add('z'), 60_000)).toBe(true)
  const checkpoint = disk.checkpoints.get('letters@1')
  first.gate.thaw()

  await eventually(() => !first.holds())
  expect(disk.checkpoints.get('letters@1')).toEqual(checkpoint)
  expect(wordsIn(disk)).toEqual(plainFold(log.events))
  expect(await first.projections.waitFor(add('!'), 60_000)).toBe(true)
  expect(wordsIn(disk)).toEqual({ p: 'xyz' })
  await eventually(() => first.projections.progress()[0]?.parked === 1)
  expect(first.history).toEqual([true, false])
  expect([...first.alarms, ...second.alarms]).toEqual([expect.stringMatching(/is parked/)])
})

test('parked events are applied again at the one, whomever one asks', async () => {
  const { add, start, poison } = openShared()
  const first = start('a')
  await eventually(first.holds)
  const second = start('b')
  await first.projections.waitFor(add('x'), 60_000)
  await eventually(() => first.projections.active('letters') === 1)
  await first.projections.waitFor(add('!'), 60_000)
  await eventually(() => second.projections.progress()[0]?.parked === 1)

  expect(await second.projections.retryParked('letters')).toMatchObject({ applied: 0, parked: 1 })
  poison.clear()
  expect(await second.projections.retryParked('letters')).toMatchObject({ applied: 1, parked: 0 })

  expect(first.projections.progress()[0]?.parked).toBe(0)
})

test('a retry that was asked of one who stopped is carried out by the next', async () => {
  const { add, start, poison, pass } = openShared()
  const first = start('a')
  await eventually(first.holds)
  const second = start('b')
  await eventually(() => first.projections.active('letters') === 1)
  await first.projections.waitFor(add('!'), 60_000)
  await eventually(() => second.projections.progress()[0]?.parked === 1)
  first.gate.freeze()
  poison.clear()

  const asked = second.projections.retryParked('letters').catch((error: unknown) => error)
  pass(leaseTimes.forMs)

  await eventually(second.holds)
  await eventually(() => second.projections.progress()[0]?.parked === 0)
  await asked
  expect(second.holds()).toBe(true)
})

test('a holder whose store was away for longer than its lease goes on when nobody else came', async () => {
  const { add, start, pass } = openShared()
  const first = start('a')
  await eventually(first.holds)

  first.setAway(true)
  pass(10 * leaseTimes.forMs)
  await eventually(() => first.alarms.some((alarm) => alarm.includes('cannot be renewed')))
  first.setAway(false)

  expect(await first.projections.waitFor(add('x'), 60_000)).toBe(true)
  expect([first.history, first.leaseStatus().fence]).toEqual([[true], 1])
})

test('who cannot ask says so once, and runs them when it can', async () => {
  const { start } = openShared()
  const first = start('a', true)
  await eventually(() => first.alarms.length > 0)
  await expect(first.projections.retryParked('letters')).rejects.toMatchObject({
    code: 'unavailable',
  })

  first.setAway(false)
  await eventually(first.holds)

  const said = first.alarms.filter((alarm) => alarm.includes('who runs the projections'))
  expect(said).toHaveLength(1)
})

test('of many that come and go one at a time runs them, and nothing is lost or doubled', async () => {
  const { add, start, disk, log, pass } = openShared()
  const instances = ['a', 'b', 'c'].map((owner) => start(owner))
  const held = () => instances.filter(({ holds }) => holds())
  for (let round = 0; round < 12; round += 1) {
    await eventually(() => held().length > 0)
    const [holder] = held()
    add(String.fromCodePoint(97 + round))
    holder?.gate.freeze()
    add('-')
    pass(leaseTimes.forMs)
    await eventually(() => held().some((one) => one !== holder))
    add('.')
    holder?.gate.thaw()
    await eventually(() => !holder?.holds())
  }
  const position = add('#')

  for (const { projections } of instances) {
    expect(await projections.waitFor(position, 60_000)).toBe(true)
  }
  expect(wordsIn(disk)).toEqual(plainFold(log.events))
  expect(instances.flatMap(({ alarms }) => alarms)).toEqual([])
  expect(disk.leases.get('projections')?.fence).toBe(13)
})

test('one that may not run them never asks for the lease, and says when nobody runs them and when somebody does again', async () => {
  const { add, start, pass } = openShared()
  const first = start('a')
  await eventually(first.holds)
  const watching = start('b', false, false)
  await watching.projections.waitFor(add('x'), 60_000)
  expect(watching.leaseStatus()).toMatchObject({ isOwner: false, isRunning: true })

  await first.projections.close()
  pass(leaseTimes.forMs)
  await eventually(() => !watching.leaseStatus().isRunning)

  expect(watching.projections.progress()).toMatchObject([
    { status: 'failing', error: 'no instance is heard to run it', active: 1 },
  ])
  expect(await watching.projections.waitFor(add('y'), 60_000)).toBe(false)
  const next = start('c')
  await eventually(() => watching.leaseStatus().isRunning)
  expect([watching.holds(), next.holds()]).toEqual([false, true])
  expect(watching.hearing).toEqual([false, true])
  expect(watching.gate.calls('commit')).toBe(0)
})
