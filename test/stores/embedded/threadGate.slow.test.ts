import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { endThread } from '../../../src/stores/embedded/threadGate.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const program = fileURLToPath(new URL('../support/endBusyThreads.ts', import.meta.url))
const numbersTo = (last: number): string =>
  `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${last})`

/** What the process prints that ends so many threads, each busy with that statement. */
async function ending(sql: string, count: number): Promise<string> {
  const file = join(temporaryFolder(), 'any.db')
  const child = spawn(process.execPath, ['--import', 'tsx', program, file, sql, `${count}`])
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  await once(child, 'close')
  return printed
}

test.each([
  ['many short calls', 'SELECT 1'],
  ['calls that bring many rows', `${numbersTo(500)} SELECT n, 'text' FROM number`],
])(
  'given threads in the middle of %s of SQLite, when they are ended by force, then the process goes on',
  async (_, sql) => {
    expect(await ending(sql, 6)).toBe('6 ended')
  },
)

test('given a thread in a long call of SQLite, when it is ended by force, then the call comes to its end and the process goes on', async () => {
  expect(await ending(`${numbersTo(2_000_000)} SELECT sum(n) FROM number`, 1)).toBe('1 ended')
})

test('given a thread that is in no call, or was started without a gate, when it is ended by force, then it ends', async () => {
  const thread = new Worker('for (;;);', { eval: true })
  await once(thread, 'online')
  const ended = once(thread, 'exit')

  await endThread(thread)

  await ended
})
