import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  findReadableByOthers,
  lockFolder,
  openDataFolder,
} from '../../../src/stores/embedded/dataFolder.ts'
import { openDatabase } from '../../../src/stores/embedded/sqlite.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('given a folder in folders that are missing, when opened, then all are made for their owner alone', () => {
  const outer = temporaryFolder()

  const { path } = openDataFolder(join(outer, 'a', 'b'))

  expect(modeOf(join(outer, 'a'))).toBe(0o700)
  expect(modeOf(path)).toBe(0o700)
  expect(openDataFolder(path).path).toBe(path)
})

test('given a new database, when written, then neither it nor what lies beside it is for others to read', () => {
  const folder = temporaryFolder()
  const database = openDatabase({ file: join(folder, 'log.db'), synchronous: 'FULL' })

  database.exec('CREATE TABLE t (x)')

  const modes = readdirSync(folder).map((name) => [name, modeOf(join(folder, name))])
  expect(modes).toEqual([
    ['log.db', 0o600],
    ['log.db-shm', 0o600],
    ['log.db-wal', 0o600],
  ])
  database.close()
})

test('given a file where the folder should be, when opened, then it is refused and left', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, 'mine')

  expect(() => openDataFolder(file)).toThrow(`Cannot use ${file} as data folder`)
  expect(() => openDataFolder(join(file, 'data'))).toThrow('as data folder')
  expect(statSync(file).size).toBe(4)
})

test('given a damaged lock, when the folder is taken, then it is named and may be deleted', () => {
  const folder = openDataFolder(temporaryFolder())
  writeFileSync(folder.lock, 'no database at all '.repeat(300))

  expect(() => lockFolder(folder)).toThrow(
    /lock\.db: it is damaged; it holds nothing, so delete it\.$/,
  )
})

test('given files that others may read, when looked at, then these are named and the others are not', () => {
  const folder = openDataFolder(join(temporaryFolder(), 'data'))
  for (const file of [folder.log, folder.keys, folder.masterKey]) {
    writeFileSync(file, '', { mode: 0o600 })
  }
  expect(findReadableByOthers(folder)).toEqual([])

  chmodSync(folder.keys, 0o640)
  chmodSync(folder.path, 0o755)

  expect(findReadableByOthers(folder)).toEqual([folder.path, folder.keys])
})
