import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keptKeysIn, keySchema } from '../../../src/stores/embedded/keyStore.ts'
import { type Database, openDatabase } from '../../../src/stores/embedded/sqlite.ts'

let folder = ''
let database: Database
/** Statements that were run since the keys were there. */
let statements = 0

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-key-rows-'))
  const opened = openDatabase({ file: join(folder, 'keys.db'), synchronous: 'NORMAL' })
  database = {
    ...opened,
    prepare: (sql) => {
      const statement = opened.prepare(sql)
      const all: typeof statement.all = (...values) => {
        statements += 1
        return statement.all(...values)
      }
      return {
        run: (...values) => statement.run(...values),
        get: (...v) => statement.get(...v),
        all,
        setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
      }
    },
  }
  database.exec(keySchema)
})

afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

function addKeys(count: number): readonly string[] {
  const ids = Array.from({ length: count }, (_, number) => `key-"${number}"`)
  const insert = database.prepare('INSERT INTO keys (id, wrapped) VALUES (?, ?)')
  for (const [number, id] of ids.entries()) insert.run(id, new Uint8Array([number % 256]))
  statements = 0
  return ids
}

/** The keys of these ids, and by how many statements they were found. */
async function found(ids: readonly string[]) {
  const { lookUp } = keptKeysIn(database, 'keys.db')
  statements = 0
  const keys = [...(await lookUp(ids)).values()]
  return { keys, statements }
}

test('a thousand keys are found by one statement', async () => {
  const ids = addKeys(2_500)

  const { keys, statements: count } = await found(ids)

  expect(count).toBe(3)
  expect(keys.map(({ id }) => id)).toEqual(ids)
  expect(keys[2_499]).toMatchObject({ wrapped: new Uint8Array([2_499 % 256]) })
})

test('those that there are not are left out, and nothing is asked where no key is wanted', async () => {
  const [first = ''] = addKeys(2)

  expect((await found(['unknown', first, '{}', ''])).keys).toMatchObject([{ id: first }])
  expect(await found([])).toEqual({ keys: [], statements: 0 })
})

test('a key on record as destroyed says so, also where its secret is still there', async () => {
  const [first = '', second = ''] = addKeys(2)
  const bury = database.prepare('INSERT INTO destroyed (id, at) VALUES (?, ?)')
  for (const id of [first, 'gone']) bury.run(id, 7)

  expect((await found([first, second, 'gone'])).keys).toEqual([
    { id: first, destroyedAtMs: 7 },
    { id: second, wrapped: new Uint8Array([1]) },
    { id: 'gone', destroyedAtMs: 7 },
  ])
})
