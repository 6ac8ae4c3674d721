import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { threadMover } from '../../../src/stores/embedded/threadMover.ts'
import type { StepOutcome, WalMover } from '../../../src/stores/embedded/walCheckpoints.ts'
import { eventually } from '../../support/eventually.ts'
import { openForTest } from '../support/embeddedUnderTest.ts'
import { newEvent } from '../support/newEvents.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const mebibyte = 1024 * 1024

function step(mover: WalMover): Promise<StepOutcome> {
  return new Promise((resolve) => mover.begin(resolve))
}

test('given a log of 60 MiB that is read all the time, when it is written, then its write-ahead log stays a few MiB and the file has the rest', async () => {
  const folder = temporaryFolder()
  const store = await openForTest({ folder, thread: 'own' })
  const data = JSON.stringify('x'.repeat(500_000))
  let walBytes = 0

  for (let number = 0; number < 120; number += 1) {
    const events = [{ ...newEvent(`${number}`), data }]
    await store.append({ stream: `a-${number}`, expected: 'no_stream', events })
    await store.readAll({ after: Math.max(0, number - 4), limit: 4 })
    walBytes = Math.max(walBytes, statSync(join(folder, 'log.db-wal')).size)
  }

  expect(walBytes).toBeLessThan(24 * mebibyte)
  expect(statSync(join(folder, 'log.db')).size).toBeGreaterThan(30 * mebibyte)
  await store.close()
  const reopened = await openForTest({ folder })
  expect(await reopened.head()).toBe(120)
})

test('given a store with a writer of its own, when a few MiB are written, then another thread begins to move them', async () => {
  const folder = temporaryFolder()
  const store = await openForTest({ folder, thread: 'own' })
  const data = JSON.stringify('x'.repeat(500_000))

  for (let number = 0; number < 7; number += 1) {
    const events = [{ ...newEvent(`${number}`), data }]
    await store.append({ stream: `a-${number}`, expected: 'no_stream', events })
  }

  // the writer alone would wait for more
  await eventually(() => statSync(join(folder, 'log.db')).size > mebibyte)
})

test('given commits that are in the write-ahead log alone, when a step is taken, then they are in the file', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'log.db')
  const store = await openForTest({ folder })
  const before = statSync(file).size
  const events = [{ ...newEvent('large'), data: JSON.stringify('x'.repeat(500_000)) }]
  await store.append({ stream: 'a-1', expected: 'no_stream', events })
  expect(statSync(file).size).toBe(before)
  const mover = threadMover({ file })

  const outcome = await step(mover)

  await mover.close()
  expect(outcome).toMatchObject({ kind: 'moved' })
  expect(statSync(file).size).toBeGreaterThan(500_000)
})

test('given a step was taken, when another program opens the log and closes it, then the write-ahead log is still there', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'log.db')
  const store = await openForTest({ folder })
  await store.append({ stream: 'a-1', expected: 'no_stream', events: [newEvent('1')] })
  const mover = threadMover({ file })
  const openAndClose = `import { DatabaseSync } from '@photostructure/sqlite'
    const database = new DatabaseSync(process.argv[1])
    database.prepare('SELECT count(*) FROM sqlite_schema').get()
    database.close()`
  const visit = () =>
    spawnSync(process.execPath, ['--input-type=module', '-e', openAndClose, file]).status

  await step(mover)
  const during = [visit(), existsSync(`${file}-wal`)]
  await mover.close()
  const after = [visit(), existsSync(`${file}-wal`)]

  expect([during, after]).toEqual([
    [0, true],
    [0, true],
  ])
  await store.close()
})

test('given a file that is no database, when a step is taken, then there are no steps, then and later', async () => {
  const file = join(temporaryFolder(), 'no', 'such', 'log.db')
  const mover = threadMover({ file })

  expect(await step(mover)).toEqual({ kind: 'ended' })
  expect(await step(mover)).toEqual({ kind: 'ended' })
  await mover.close()
})

test('given a thread that says what failed, when a step is taken, then its error has the code it had', async () => {
  const reply = "{ message: 'disk I/O error', errcode: 1034, code: 'ERR_SQLITE_ERROR' }"
  const code = `const { parentPort } = require('node:worker_threads')
    parentPort.on('message', (order) => order === 'close' ? parentPort.close() : parentPort.postMessage(${reply}))`
  const mover = threadMover({ file: '' }, () => new Worker(code, { eval: true }))

  const outcome = await step(mover)

  await mover.close()
  expect(outcome).toMatchObject({
    kind: 'failed',
    error: { message: 'disk I/O error', errcode: 1034, code: 'ERR_SQLITE_ERROR' },
  })
})
