import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findDamage } from '../../src/stores/embedded/inspectStores.ts'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { openForTest } from './support/embeddedUnderTest.ts'
import { newAppend } from './support/newEvents.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

/**
 * Copies of a data folder as a crash leaves it: part of the history in the file, the later part only in the -wal file.
 */
async function crashedFolder(streams = 30): Promise<string> {
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
  const copy = temporaryFolder()
  for (const name of ['log.db', 'log.db-wal', 'stores.witness']) {
    cpSync(join(folder, name), join(copy, name))
  }
  return copy
}

/** The sentence that a damaged folder is refused with, once all of its log was looked at. */
async function refusalOf(folder: string): Promise<string | undefined> {
  const refused = await openForTest({ folder }).then(
    async (store) => void (await store.close()),
    (error: Error) => error.message,
  )
  return findDamage(join(folder, 'log.db')) ?? refused ?? undefined
}

describe('a damaged log', () => {
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
      const folder = await crashedFolder()
      edit(folder, sql)

      expect(await refusalOf(folder)).toMatch(sentence)
    },
  )

  test('given an event far behind the end changed by hand, when it is read, then the read is refused', async () => {
    const folder = temporaryFolder()
    const store = await openForTest({ folder })
    const seeds = Array.from({ length: 2_500 }, (_, index) => `${index}`)
    await store.append(newAppend('a-1', 'no_stream', ...seeds))
    await store.close()
    edit(folder, `UPDATE events SET data = '{"seed":"forged"}' WHERE position = 7`)

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

function edit(folder: string, sql: string): void {
  const database = openDatabase({ file: join(folder, 'log.db'), synchronous: 'FULL' })
  database.exec(sql)
  database.close()
}
