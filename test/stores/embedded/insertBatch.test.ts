import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dataFolder } from '../../../src/stores/embedded/dataFolder.ts'
import {
  batchInserter,
  endOf,
  logPageBytes,
  logSchema,
  startOfLog,
} from '../../../src/stores/embedded/logRows.ts'
import { openLogWriter } from '../../../src/stores/embedded/logWriter.ts'
import { type Database, openDatabase, transaction } from '../../../src/stores/embedded/sqlite.ts'
import { sharedHead } from '../../../src/stores/embedded/threads.ts'
import type { Append } from '../../../src/stores/eventStore.ts'
import { draws } from '../../support/draws.ts'
import { newAppend, newEvent } from '../support/newEvents.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

interface Counted {
  readonly database: Database
  /** How many rows each INSERT had. */
  readonly inserts: number[]
}

/** A new log whose statements are counted. */
function countedLog(): Counted {
  const database = openDatabase({ file: join(temporaryFolder(), 'log.db'), synchronous: 'NORMAL' })
  onTestFinished(() => database.close())
  database.exec(logSchema)
  const inserts: number[] = []
  const prepare: Database['prepare'] = (sql) => {
    const statement = database.prepare(sql)
    if (!sql.startsWith('INSERT')) return statement
    return {
      get: (...values) => statement.get(...values),
      all: (...values) => statement.all(...values),
      setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
      run: (...values) => {
        inserts.push(values.length / 8)
        return statement.run(...values)
      },
    }
  }
  return { database: { ...database, prepare }, inserts }
}

/** A new log with its end. */
function smallLog(folder: string) {
  const file = join(mkdtempSync(join(folder, 'log-')), 'log.db')
  const database = openDatabase({ file, synchronous: 'NORMAL' })
  database.exec(logSchema)
  const end = startOfLog()
  const insert = batchInserter(database)
  return { database, insert: (batch: readonly Append[]) => insert(batch, end) }
}

function rowsOf(database: Database): unknown[] {
  return database
    .prepare('SELECT position, stream, revision FROM events ORDER BY position')
    .all()
    .map(({ position, stream, revision }) => [position, stream, revision])
}

function newStreams(count: number): readonly Append[] {
  return Array.from({ length: count }, (_, index) =>
    newAppend(`a-${index}`, 'no_stream', `${index}`),
  )
}

describe('a batch of new streams', () => {
  test('given as many rows as two statements and a few, when inserted, then few statements write them in order', () => {
    const { database, inserts } = countedLog()
    const batch = newStreams(37)

    const answers = batchInserter(database)(batch, startOfLog())

    expect(answers).toEqual(
      batch.map((_, index) => ({ ok: true, revision: 0, position: index + 1 })),
    )
    expect(inserts).toEqual([16, 16, 4, 1])
    expect(rowsOf(database)).toEqual(batch.map(({ stream }, index) => [index + 1, stream, 0]))
  })

  test('given appends of several events, when a statement ends within one of them, then each has its last revision and position', () => {
    const { database, inserts } = countedLog()
    const batch = newStreams(9).map((append) => ({
      ...append,
      events: [...append.events, newEvent(`${append.stream} second`)],
    }))

    const answers = batchInserter(database)(batch, startOfLog())

    expect(answers).toEqual(
      batch.map((_, index) => ({ ok: true, revision: 1, position: 2 * index + 2 })),
    )
    expect(inserts).toEqual([16, 1, 1])
  })
})

describe('a batch in which a stream is there already', () => {
  test.each([0, 7, 15, 16, 19])(
    'given the stream of append %i, when inserted, then that one is refused and positions have no hole',
    (taken) => {
      const { database } = countedLog()
      const insert = batchInserter(database)
      const end = startOfLog()
      insert([newAppend(`a-${taken}`, 'no_stream', 'earlier', 'later')], end)

      const answers = insert(newStreams(20), end)

      expect(answers[taken]).toEqual({ ok: false, actual: 1 })
      expect(answers.filter(({ ok }) => ok)).toHaveLength(19)
      expect(end.position).toBe(21)
      expect(rowsOf(database).map((row) => (row as number[])[0])).toEqual(
        Array.from({ length: 21 }, (_, index) => index + 1),
      )
    },
  )

  test('given an append that was written, when it is sent again among others, then it has its first answer', () => {
    const { database } = countedLog()
    const insert = batchInserter(database)
    const end = startOfLog()
    const again = newAppend('b-1', 'no_stream', 'x', 'y')
    const [first] = insert([again], end)

    const answers = insert([...newStreams(5), again, ...newStreams(8).slice(5)], end)

    expect(answers[5]).toEqual(first)
    expect(answers.map((answer) => answer.ok && answer.position)).toEqual([
      3, 4, 5, 6, 7, 2, 8, 9, 10,
    ])
  })

  test('given rows behind an end that knows nothing of them, when a run is undone, then they are still there', () => {
    const { database } = countedLog()
    const insert = batchInserter(database)
    insert([newAppend('b-1', 'no_stream', 'x')], startOfLog())
    const late = endOf(database)
    insert(newStreams(3), endOf(database))
    const before = rowsOf(database)

    const batch = [newAppend('b-1', 'no_stream', 'x'), newAppend('b-2', 'no_stream', 'y')]

    expect(() => transaction(database, () => insert(batch, late))).toThrow(/behind its end/)
    expect(rowsOf(database)).toEqual(before)
  })

  test('given any batch, when inserted at once or one by one, then the answers and the rows are alike', () => {
    const append = fc
      .record({
        stream: fc.integer({ min: 0, max: 5 }),
        expected: fc.oneof({ weight: 4, arbitrary: fc.constant('no_stream' as const) }, fc.nat(2)),
        seeds: fc.array(fc.constantFrom('x', 'y'), { minLength: 1, maxLength: 3 }),
      })
      .map(({ stream, expected, seeds }) => newAppend(`a-${stream}`, expected, ...seeds))

    const folder = temporaryFolder()
    fc.assert(
      fc.property(fc.array(append, { maxLength: 30 }), (batch) => {
        const together = smallLog(folder)
        const apart = smallLog(folder)

        const answers = together.insert(batch)

        expect(answers).toEqual(batch.flatMap((one) => apart.insert([one])))
        expect(rowsOf(together.database)).toEqual(rowsOf(apart.database))
        together.database.close()
        apart.database.close()
      }),
      { numRuns: draws(50) },
    )
  })
})

describe('the file of a log', () => {
  test('given no file, when the writer opens it, then it has the pages of a log', () => {
    const { log: file, witness } = dataFolder(temporaryFolder())
    const writer = openLogWriter({ file, witness, head: sharedHead(), nowMs: () => 0 })
    const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })

    const pages = database.prepare('PRAGMA page_size').get()

    expect(pages).toEqual({ page_size: logPageBytes })
    database.close()
    writer.close()
  })
})
