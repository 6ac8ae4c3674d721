import { afterEach, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import type { Projections } from '../../src/projections/running/projectionState.ts'
import type { ReadStore } from '../../src/stores/readStore.ts'
import { eventually } from '../support/eventually.ts'
import { decodeLetters, letters } from './lettersProjection.ts'
import { type MemoryLog, memoryLog } from './memoryEventStore.ts'
import { commitsBy, commitTo, memoryDisk, memoryReadStore } from './memoryReadStore.ts'
import { runTracked } from './trackProjections.ts'

const running = new Set<Projections>()
afterEach(async () => {
  await Promise.all([...running].map((projections) => projections.close()))
  running.clear()
})

const pageMax = 5

function logOf(letterCount: number, step = 1): MemoryLog {
  const log = memoryLog(step)
  for (let at = 0; at < letterCount; at += 1) {
    log.add('s', 'LetterAdded', { ids: ['w'], letter: 'x' })
  }
  return log
}

/** Runs the projections and notes, at every commit of a version, where it was and whether it had its indexes. */
function openScene(log: MemoryLog) {
  const disk = memoryDisk()
  const commits: { key: string; position: number; ready: boolean; indexed: boolean }[] = []
  const scene = {
    fault: (_: string): void => undefined,
    making: async (): Promise<void> => undefined,
  }
  const store = memoryReadStore(disk, (before) => scene.fault(before))
  const readStore: ReadStore = {
    ...store,
    completeIndexes: async (collections, signal) => {
      await scene.making()
      return store.completeIndexes(collections, signal)
    },
    ...commitsBy(async (changes, checkpoint) => {
      await commitTo(store, changes, checkpoint)
      const { projection, version, position, ready } = checkpoint
      const key = `${projection}@${version}`
      commits.push({ key, position, ready, indexed: disk.indexed.has(key) })
    }),
  }
  const start = (projections = [letters()]): Projections => {
    const started = runTracked({
      eventStore: log,
      readStore,
      projections,
      decode: decodeLetters,
      onOtherLog: 'refuse',
      pace: { backoffMs: 1, backoffMaxMs: 2, delayMs: 0, pageMax },
    })
    running.add(started)
    return started
  }
  return { scene, disk, commits, start }
}

const isEarly = (log: MemoryLog, position: number) => position < log.events.length - pageMax

test('a long log is folded without indexes, and who is ready has them', async () => {
  const log = logOf(40)
  const { commits, start } = openScene(log)

  const projections = start()
  await eventually(() => projections.active('letters') === 1)

  const early = commits.filter(({ position }) => isEarly(log, position))
  expect(early.length).toBeGreaterThan(10)
  expect(early.filter(({ indexed }) => indexed)).toEqual([])
  expect(commits.filter(({ ready }) => ready).map(({ indexed }) => indexed)).toEqual([true])
})

test('a log that is short is folded with them from the start', async () => {
  const { commits, start } = openScene(logOf(pageMax))

  const projections = start()
  await eventually(() => projections.active('letters') === 1)

  expect(commits.length).toBeGreaterThan(1)
  expect(commits.filter(({ indexed }) => !indexed)).toEqual([])
})

test('of a log that is very long they are made on the way, where it does not take long yet', async () => {
  const { commits, start } = openScene(logOf(20, 100_000))

  const projections = start()
  await eventually(() => projections.active('letters') === 1)

  const from = (low: number, high: number) =>
    commits.filter(({ position }) => position > low && position <= high)
  const reached = Math.min(...commits.map(({ position }) => position).filter((at) => at >= 500_000))
  expect(from(0, 499_999).length).toBeGreaterThan(1)
  expect(from(0, 499_999).filter(({ indexed }) => indexed)).toEqual([])
  expect(from(reached, 2_000_000).length).toBeGreaterThan(3)
  expect(from(reached, 2_000_000).filter(({ indexed }) => !indexed)).toEqual([])
})

test('while those of a new version are made, the old one goes on', async () => {
  const log = logOf(40)
  const { scene, disk, commits, start } = openScene(log)
  const first = start()
  await eventually(() => first.active('letters') === 1)
  await first.close()
  let made = (): void => undefined
  let isMaking = false
  scene.making = async () => {
    if (commits.at(-1)?.key !== 'letters@2') return
    isMaking = true
    await new Promise<void>((resolve) => {
      made = resolve
    })
  }

  const second = start([letters(), letters({ version: 2 })])
  try {
    await eventually(() => isMaking)
    log.add('s', 'LetterAdded', { ids: ['w'], letter: 'y' })
    await eventually(() => disk.checkpoints.get('letters@1')?.position === log.events.length)
    expect(second.active('letters')).toBe(1)
  } finally {
    made()
  }

  await eventually(() => second.active('letters') === 2)
  expect(disk.checkpoints.get('letters@2')?.position).toBe(log.events.length)
})

test.each([
  ['write', 3],
  ['checkpoint', 3],
  ['completeIndexes', 1],
] as const)(
  'they are made at the end by who goes on after a kill before %s',
  async (killedBefore, times) => {
    const { scene, disk, commits, start } = openScene(logOf(20))
    let left: number = times
    scene.fault = (before) => {
      if (before === killedBefore) left -= 1
      if (left <= 0) throw new Failure('unavailable', 'the process is gone')
    }
    const killed = start()
    await eventually(() => left <= 0)
    await killed.close()
    const untimely = commits.filter(({ ready, indexed }) => ready || indexed)
    scene.fault = () => undefined

    const next = start()
    await eventually(() => next.active('letters') === 1)

    expect(untimely).toEqual([])
    expect(disk.indexed.has('letters@1')).toBe(true)
    expect(commits.filter(({ ready }) => ready).map(({ indexed }) => indexed)).toEqual([true])
  },
)
