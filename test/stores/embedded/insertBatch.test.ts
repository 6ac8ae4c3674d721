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
  openLogWriter,
} from '../../../src/stores/embedded/logWriter.ts'
import { type Database, openDatabase } from '../../../src/stores/embedded/sqlite.ts'
import { sharedHead } from '../../../src/stores/embedded/threadCalls.ts'
import type { Append } from '../../../src/stores/eventStore.ts'
import { draws } from '../../support/draws.ts'
import { newAppend } from '../support/newEvents.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

/** A new log with its end. */
function smallLog(folder: string) {
  const file = join(mkdtempSync(join(folder, 'log-')), 'log.db')
  const database = openDatabase({ file, synchronous: 'NORMAL' })
  database.exec(logSchema)
  const end = endOf(database)
  const insert = batchInserter(database)
  onTestFinished(() => database.close())
  return { database, end, insert: (batch: readonly Append[]) => insert(batch, end) }
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

describe('a batch in which a stream is there already', () => {
  test.each([0, 7, 19])(
    'given the stream of append %i, when inserted, then that one is refused and positions have no hole',
    (taken) => {
      const { database, end, insert } = smallLog(temporaryFolder())
      insert([newAppend(`a-${taken}`, 'no_stream', 'earlier', 'later')])

      const answers = insert(newStreams(20))

      expect(answers[taken]).toEqual({ ok: false, actual: 1 })
      expect(answers.filter(({ ok }) => ok)).toHaveLength(19)
      expect(end.position).toBe(21)
      expect(rowsOf(database).map((row) => (row as number[])[0])).toEqual(
        Array.from({ length: 21 }, (_, index) => index + 1),
      )
    },
  )

  test('given an append that was written, when it is sent again among others, then it has its first answer', () => {
    const { insert } = smallLog(temporaryFolder())
    const again = newAppend('b-1', 'no_stream', 'x', 'y')
    const [first] = insert([again])

    const answers = insert([...newStreams(5), again, ...newStreams(8).slice(5)])

    expect(answers[5]).toEqual(first)
    expect(answers.map((answer) => answer.ok && answer.position)).toEqual([
      3, 4, 5, 6, 7, 2, 8, 9, 10,
    ])
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
      }),
      { numRuns: draws(50) },
    )
  })
})

describe('the file of a log', () => {
  test('given no file, when the writer opens it, then it has the pages of a log', () => {
    const { log: file, witness } = dataFolder(temporaryFolder())
    const writer = openLogWriter({ file, witness, head: sharedHead() })
    const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })

    const pages = database.prepare('PRAGMA page_size').get()

    expect(pages).toEqual({ page_size: logPageBytes })
    database.close()
    writer.close()
  })
})
