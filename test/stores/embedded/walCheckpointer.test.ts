import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  openWalCheckpointer,
  type WalCheckpointer,
} from '../../../src/stores/embedded/logWriter.ts'
import { eventually } from '../../support/eventually.ts'
import { openForTest } from '../support/embeddedUnderTest.ts'
import { newEvent } from '../support/newEvents.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const mebibyte = 1024 * 1024

function largeAppend(number: number) {
  const data = JSON.stringify('x'.repeat(900_000))
  return {
    stream: `a-${number}`,
    expected: 'no_stream' as const,
    events: [{ ...newEvent(`${number}`), data }],
  }
}

test.each(['caller', 'own'] as const)(
  'given a writer in the %s thread and another that moves its write-ahead log, when much is written, then the log stays short and nothing is lost',
  async (thread) => {
    const folder = temporaryFolder()
    let mover: WalCheckpointer | undefined
    const store = await openForTest({
      folder,
      thread,
      checkpointWal: async (file) => {
        mover ??= openWalCheckpointer(file)
        return mover.checkpoint()
      },
    })

    for (let number = 0; number < 40; number += 1) await store.append(largeAppend(number))

    expect(statSync(join(folder, 'log.db')).size).toBeGreaterThan(30 * mebibyte)
    expect(statSync(join(folder, 'log.db-wal')).size).toBeLessThan(10 * mebibyte)
    mover?.close()
    await store.close()
    const reopened = await openForTest({ folder })
    expect(await reopened.readAll({ after: 0, limit: 100 })).toHaveLength(40)
  },
)

test('given a disk that fails while the write-ahead log is moved, then the answers given hold and no more are taken', async () => {
  const folder = temporaryFolder()
  const store = await openForTest({ folder, checkpointWal: async () => 'the disk failed' })
  onTestFinished(() => store.close())
  for (let number = 0; number < 3; number += 1) await store.append(largeAppend(number))

  await eventually(async () => {
    const refused = store.append(largeAppend(9)).then(
      () => false,
      (error: Error) => error.message.includes('restarted'),
    )
    return refused
  })

  await store.close()
  const reopened = await openForTest({ folder })
  expect(await reopened.readStream('a-0', { from: 0, limit: 1 })).toHaveLength(1)
})
