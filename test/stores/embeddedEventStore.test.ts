import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/domain/failure.ts'
import { openEmbeddedEventReader } from '../../src/stores/embedded/logReader.ts'
import { startWriterThread, type WriterThread } from '../../src/stores/embedded/writerThread.ts'
import type { CommitStatistics } from '../../src/stores/eventStore.ts'
import { openForTest } from './support/embeddedUnderTest.ts'
import { followed } from './support/followed.ts'
import { newAppend, newEvent } from './support/newEvents.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

describe('group commit', () => {
  test.each(['caller', 'own'] as const)(
    'given 300 appends at once with the writer in the %s thread, when they are answered, then they shared a few commits',
    async (thread) => {
      const commits: CommitStatistics[] = []
      const onCommit = (commit: CommitStatistics) => commits.push(commit)
      const store = await openForTest({ thread, onCommit })
      const appends = Array.from({ length: 300 }, (_, index) =>
        newAppend(`a-${index}`, 'no_stream', `${index}`, `${index}+`),
      )

      const answers = await Promise.all(appends.map(store.append))

      expect(commits.length).toBeLessThanOrEqual(2)
      expect(commits.reduce((sum, { appends: count }) => sum + count, 0)).toBe(300)
      expect(commits.reduce((sum, { events }) => sum + events, 0)).toBe(600)
      expect(answers.map((answer) => answer.ok && answer.position)).toEqual(
        appends.map((_, index) => 2 * index + 2),
      )
    },
  )

  test('given a batch being written, when more appends come, then they make the next batch', async () => {
    const commits: CommitStatistics[] = []
    const store = await openForTest({ thread: 'own', onCommit: (commit) => commits.push(commit) })

    const first = store.append(newAppend('a-0', 'no_stream', 'x'))
    // Two turns of the event loop: the first batch has left by then.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    const more = Array.from({ length: 20 }, (_, index) =>
      store.append(newAppend(`a-${index + 1}`, 'no_stream', 'x')),
    )
    await Promise.all([first, ...more])

    // on a busy machine the first may be on disk while the others are still coming
    const [one, ...next] = commits.map(({ appends }) => appends)
    expect(one).toBe(1)
    expect(next.reduce((sum, appends) => sum + appends, 0)).toBe(20)
    expect(next.length).toBeLessThanOrEqual(2)
  })
})

describe('the folder', () => {
  test('given a store, when another process opens the folder, then that one is refused, until the first has closed', async () => {
    const folder = temporaryFolder()
    const store = await openForTest({ folder })
    await store.append(newAppend('a-1', 'no_stream', 'x'))

    const refused = await openInOtherProcess(folder)
    await store.close()
    const opened = await openInOtherProcess(folder)

    expect(refused).toMatch(/Cannot use .*: another process is using it\. Stop that one first/)
    expect(opened).toBe('head 1\n')
  })

  test('given a store, when this process opens the folder again, then it is refused too', async () => {
    const folder = temporaryFolder()
    await openForTest({ folder })

    await expect(openForTest({ folder })).rejects.toThrow(/is using it/)
  })

  test('given appends under way, when closed, then they are written first', async () => {
    const folder = temporaryFolder()
    const store = await openForTest({ folder, thread: 'own' })

    const appends = ['x', 'y', 'z'].map((seed) =>
      store.append(newAppend(`a-${seed}`, 'no_stream', seed)),
    )
    await store.close()

    expect((await Promise.all(appends)).map(({ ok }) => ok)).toEqual([true, true, true])
    expect(statSync(join(folder, 'log.db-wal')).size).toBe(0)
    expect(await (await openForTest({ folder })).head()).toBe(3)
  })
})

async function openInOtherProcess(folder: string): Promise<string> {
  const module = new URL('../../src/stores/embedded/embeddedEventStore.ts', import.meta.url)
  const program = `
    const { openEmbeddedEventStore } = await import(${JSON.stringify(module.href)})
    try {
      const store = await openEmbeddedEventStore({ folder: ${JSON.stringify(folder)} })
      process.stdout.write('head ' + (await store.head()) + '\\n')
      await store.close()
    } catch (error) {
      process.stdout.write(error.message)
    }`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program])
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  await once(child, 'exit')
  return output
}

describe('the thread of the writer', () => {
  test('given its thread ends unasked, when appends wait, then they and all later ones are refused, and reads go on', async () => {
    const owner = startWriterThread()
    const store = await openForTest({ thread: owner })
    await store.append(newAppend('a-1', 'no_stream', 'x'))

    await owner.close()
    const refused = await Promise.allSettled([
      store.append(newAppend('a-2', 'no_stream', 'y')),
      store.append(newAppend('a-3', 'no_stream', 'z')),
    ])

    const failure = { status: 'rejected', reason: { code: 'unavailable' } }
    expect(refused).toMatchObject([failure, failure])
    await expect(store.append(newAppend('a-4', 'no_stream', 'x'))).rejects.toThrow(/restarted/)
    expect(await store.readAll({ after: 0, limit: 10 })).toHaveLength(1)
    await expect(store.close()).resolves.toBeUndefined()
  })

  test('given its thread dies while it writes, when appends wait, then they are refused as unknown', async () => {
    const died = new Failure('unavailable', 'away', { cause: new Error('out of order') })
    const store = await openForTest({
      thread: ownerWith(() => Promise.reject(died)),
      folder: await closedStoreFolder(),
    })

    const refused = store.append(newAppend('a-1', 'no_stream', 'x'))

    await expect(refused).rejects.toMatchObject({
      code: 'unavailable',
      cause: { message: 'the thread of the writer failed: out of order' },
    })
  })
})

/** Opens and closes well; this is what becomes of a batch. */
function ownerWith(commit: () => Promise<unknown>): WriterThread {
  const ask = async (name: string) => (name === 'commit' ? commit() : undefined)
  return { call: ask as never, close: async () => undefined }
}

async function closedStoreFolder(): Promise<string> {
  const folder = temporaryFolder()
  const store = await openForTest({ folder })
  await store.close()
  return folder
}

describe('a reader of its own', () => {
  test('given the head of the store, when it follows, then it sees what is written, and ends when closed', async () => {
    const folder = temporaryFolder()
    const store = await openForTest({ folder, thread: 'own' })
    const reader = openEmbeddedEventReader({ folder, headBuffer: store.headBuffer })

    const following = followed(reader, 0, 2)
    await store.append(newAppend('a-1', 'no_stream', 'x', 'y'))

    expect(await following).toEqual(await store.readStream('a-1', { from: 0, limit: 2 }))
    const waiting = followed(reader, 2, 1)
    await reader.close()
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
    await expect(reader.readAll({ after: 0, limit: 1 })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  test('given large events, when followed, then batches stay small', async () => {
    const store = await openForTest()
    const large = Array.from({ length: 200 }, (_, index) => ({
      ...newEvent(`${index}`),
      data: JSON.stringify('x'.repeat(100_000)),
    }))
    for (let at = 0; at < large.length; at += 10) {
      const events = large.slice(at, at + 10)
      await store.append({ stream: `a-${at}`, expected: 'no_stream', events })
    }

    const sizes: number[] = []
    const stop = new AbortController()
    for await (const batch of store.follow(0, stop.signal)) {
      sizes.push(batch.length)
      if (sizes.reduce((sum, size) => sum + size, 0) === 200) stop.abort()
    }

    expect(Math.max(...sizes)).toBeLessThanOrEqual(64)
  })
})
