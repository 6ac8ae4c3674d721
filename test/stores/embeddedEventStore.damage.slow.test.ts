import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openEmbeddedEventStore } from '../../src/stores/embedded/embeddedEventStore.ts'
import { findDamage } from '../../src/stores/embedded/inspectStores.ts'
import { type Database, openDatabase } from '../../src/stores/embedded/sqlite.ts'
import type { RecordedEvent } from '../../src/stores/eventStore.ts'
import { openForTest } from './support/embeddedUnderTest.ts'
import { newAppend } from './support/newEvents.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

/** Copies of a data folder as a crash leaves it: part of the history in the file, the later part only in the -wal file. */
async function crashedFolder(
  streams = 30,
): Promise<{ folder: string; history: readonly RecordedEvent[] }> {
  const folder = temporaryFolder()
  const first = await openForTest({ folder })
  for (let index = 0; index < streams; index += 1) {
    await first.append(newAppend(`a-${index}`, 'no_stream', `${index}`, `${index}+`))
  }
  await first.close()
  const second = await openForTest({ folder })
  for (let index = 0; index < streams; index += 1) {
    await second.append(newAppend(`a-${index}`, 1, `later ${index}`))
    await second.append(newAppend(`b-${index}`, 'no_stream', `${index}`))
  }
  const history = await second.readAll({ after: 0, limit: 1_000 })
  const copy = temporaryFolder()
  for (const name of ['log.db', 'log.db-wal', 'stores.witness']) {
    cpSync(join(folder, name), join(copy, name))
  }
  return { folder: copy, history }
}

/** What a damaged folder gives: the events it serves, or the sentence it refuses with. */
async function reopen(folder: string): Promise<readonly RecordedEvent[] | string> {
  const found = await opened(folder)
  const signal = new AbortController().signal
  const damage = await findDamage(join(folder, 'log.db'), signal).catch((error) => error.message)
  return damage ?? found
}

async function opened(folder: string): Promise<readonly RecordedEvent[] | string> {
  const store = await openEmbeddedEventStore({ folder, thread: 'caller' }).catch(
    (error: Error) => error,
  )
  if (store instanceof Error) return store.message
  try {
    return await store.readAll({ after: 0, limit: 1_000 })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.message
    throw error
  } finally {
    await store.close()
  }
}

function expectPrefixOrRefusal(
  found: readonly RecordedEvent[] | string,
  history: readonly RecordedEvent[],
): void {
  if (typeof found === 'string') expect(found).toMatch(/Cannot use|damaged|cannot be used/)
  else expect(found).toEqual(history.slice(0, found.length))
}

/** Every stream of the history, those that were lost included, takes its next event. */
async function expectGoesOn(
  folder: string,
  found: readonly RecordedEvent[],
  history: readonly RecordedEvent[],
): Promise<void> {
  const store = await openEmbeddedEventStore({ folder, thread: 'caller' })
  for (const stream of new Set(history.map((event) => event.stream))) {
    const last = found.filter((event) => event.stream === stream).at(-1)?.revision
    const answer = await store.append(newAppend(stream, last ?? 'no_stream', `next of ${stream}`))
    expect(answer.ok).toBe(true)
  }
  await store.close()
}

describe('a damaged log', () => {
  test('given a write-ahead log older than its file, cut anywhere, when opened, then it never serves what was not', async () => {
    const { folder, history } = await crashedFolder()
    const wal = readFileSync(join(folder, 'log.db-wal'))
    await reopen(folder)
    const lastPages = fc.integer({ min: wal.length - 20 * 4_096, max: wal.length })

    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.nat(wal.length), lastPages), async (end) => {
        const copy = temporaryFolder()
        for (const name of ['log.db', 'stores.witness'])
          cpSync(join(folder, name), join(copy, name))
        writeFileSync(join(copy, 'log.db-wal'), wal.subarray(0, end))

        const found = await reopen(copy)
        expectPrefixOrRefusal(found, history)
        if (typeof found !== 'string') await expectGoesOn(copy, found, history)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['a newer version', 'PRAGMA user_version = 99', /a newer version of the program wrote it/],
    [
      'an event in the middle deleted',
      'DELETE FROM events WHERE position = 50',
      /position 50 is missing/,
    ],
    ['the first events deleted', 'DELETE FROM events WHERE position < 5', /position 1 is missing/],
    [
      'an event changed',
      `UPDATE events SET data = '{}' WHERE position = 70`,
      /position 70 has changed/,
    ],
    [
      'two events swapped',
      `UPDATE events SET type = 'Other' WHERE position = 1`,
      /position 1 has changed/,
    ],
  ])(
    'given %s by hand, when opened, then it is refused with what is wrong',
    async (_, sql, sentence) => {
      const { folder } = await crashedFolder()
      const database = openDatabase({ file: join(folder, 'log.db'), synchronous: 'FULL' })
      database.exec(sql)
      database.close()

      expect(await reopen(folder)).toMatch(sentence)
    },
  )

  test('given an event far behind the end changed by hand, when it is read, then the read is refused', async () => {
    const folder = temporaryFolder()
    const store = await openForTest({ folder })
    const seeds = Array.from({ length: 2_500 }, (_, index) => `${index}`)
    await store.append(newAppend('a-1', 'no_stream', ...seeds))
    await store.close()
    edit(join(folder, 'log.db'), (database) =>
      database.exec(`UPDATE events SET data = '{"seed":"forged"}' WHERE position = 7`),
    )

    const reopened = await openForTest({ folder })

    await expect(reopened.readAll({ after: 0, limit: 10 })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The event log is damaged; its owner must restore it.',
      cause: { message: expect.stringContaining('position 7 has changed') },
    })
    await expect(reopened.readStream('a-1', { from: 6, limit: 1 })).rejects.toThrow(/damaged/)
    expect(await reopened.readAll({ after: 7, limit: 10 })).toHaveLength(10)
  })
})

function edit<Result>(file: string, work: (database: Database) => Result): Result {
  const database = openDatabase({ file, synchronous: 'FULL' })
  const result = work(database)
  database.close()
  return result
}
