import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type StepOutcome, walCheckpoints } from '../../../src/stores/embedded/walCheckpoints.ts'
import { failingDatabase } from '../support/failingDatabase.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const mebibyte = 1024 * 1024
const pagesIn = (bytes: number) => bytes / 8192
const moved = (bytes: number): StepOutcome => ({ kind: 'moved', pages: pagesIn(bytes) })

/** Checkpoints of an empty database with steps that the test ends; says what the writer ran itself. */
function openForTest() {
  const disk = failingDatabase()
  const database = disk.open({ file: join(temporaryFolder(), 'log.db'), synchronous: 'FULL' })
  onTestFinished(database.close)
  const steps: ((outcome: StepOutcome) => void)[] = []
  const failures: unknown[] = []
  const checkpoints = walCheckpoints({
    database,
    mover: { begin: (tell) => steps.push(tell) },
    onFailed: (error) => failures.push(error),
  })
  const commit = (bytes: number) => {
    checkpoints.wrote(bytes)
    checkpoints.settle()
  }
  const ownMoves = () => disk.run.filter((sql) => sql.includes('wal_checkpoint')).length
  return { disk, checkpoints, commit, steps, failures, ownMoves }
}

describe('the write-ahead log of the event log', () => {
  test('given commits of 60 MiB, when steps keep up, then the writer moves only what the steps left, once for 8 MiB', () => {
    const { commit, steps, ownMoves } = openForTest()
    let walBytes = 0

    for (let written = 0; written < 60; written += 1) {
      commit(mebibyte)
      walBytes += mebibyte
      if (written % 2 === 0) continue
      const before = ownMoves()
      steps.at(-1)?.(moved(walBytes))
      if (ownMoves() > before) walBytes = 0
    }

    expect(steps).toHaveLength(30)
    expect(ownMoves()).toBe(7)
  })

  test('given a step under way, when commits go on, then neither another one is begun nor does the writer move anything', () => {
    const { commit, steps, ownMoves } = openForTest()

    for (let written = 0; written < 60; written += 1) commit(mebibyte)

    expect(steps).toHaveLength(1)
    expect(ownMoves()).toBe(0)
  })

  test('given a step that does not end, when 64 MiB are written meanwhile, then appends wait for it at every 2 MiB more', () => {
    const { commit, ownMoves } = openForTest()

    for (let written = 0; written < 2 + 64 + 10; written += 1) commit(mebibyte)

    expect(ownMoves()).toBe(6)
  })

  test('given another connection that moves the log, when 64 MiB are written meanwhile, then the writer tries again for a while', () => {
    const { disk, commit, ownMoves } = openForTest()
    disk.answer = { sql: 'PRAGMA wal_checkpoint(RESTART)', row: { busy: 1, log: -1 } }

    for (let written = 0; written < 2 + 64; written += 1) commit(mebibyte)

    expect(ownMoves()).toBe(51)
  })

  test('when a step fails, then the writer is told, and the next step is begun once more was written', () => {
    const { commit, steps, failures } = openForTest()
    const error = new Error('disk I/O error')
    commit(2 * mebibyte)

    steps[0]?.({ kind: 'failed', error })
    commit(2 * mebibyte)

    expect(failures).toEqual([error])
    expect(steps).toHaveLength(2)
  })

  test('when what the step left cannot be moved, then the writer is told, and waits for others as long as before', () => {
    const { disk, commit, steps, failures } = openForTest()
    disk.fail = { sql: 'PRAGMA wal_checkpoint', errcode: 10 }
    commit(2 * mebibyte)

    steps[0]?.(moved(8 * mebibyte))

    expect(failures).toMatchObject([{ errcode: 10 }])
    expect(disk.run.at(-1)).toBe('PRAGMA busy_timeout = 5000')
  })

  test('given a log that takes nothing more, when a step ends, then nothing is moved', () => {
    const { checkpoints, commit, steps, ownMoves } = openForTest()
    commit(2 * mebibyte)

    checkpoints.stop()
    steps[0]?.(moved(64 * mebibyte))
    commit(64 * mebibyte)

    expect(steps).toHaveLength(1)
    expect(ownMoves()).toBe(0)
  })

  test('when there are no more steps, then the writer moves all itself', () => {
    const { commit, steps, ownMoves } = openForTest()
    commit(2 * mebibyte)

    steps[0]?.({ kind: 'ended' })
    for (let written = 0; written < 16; written += 1) commit(mebibyte)

    expect(steps).toHaveLength(1)
    expect(ownMoves()).toBe(2)
  })
})
