import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { checkDataFiles, findDamageApart } from '../../src/app/detectDamage.ts'
import type { DamagedStore } from '../../src/metrics/meters.ts'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'

const checking = new AbortController().signal

const check = async (
  ask: (file: string) => Promise<string | undefined>,
  signal: AbortSignal = checking,
) => {
  const damagedFiles = new Set<DamagedStore>()
  const [error, warn] = [vi.fn(), vi.fn()]
  const how = { damagedFiles, signal, check: ask }
  await checkDataFiles('/data', { logger: { error, warn }, ...how })
  const factsOf = ({ mock }: typeof error) => mock.calls.map(([facts]) => facts as object)
  return { damagedFiles, logged: factsOf(error), warned: factsOf(warn) }
}

test('a file that is damaged is named, and its store is not ready', async () => {
  const { damagedFiles, logged } = await check(async (file) =>
    file.endsWith('log.db') ? 'its table events is damaged' : undefined,
  )

  expect([...damagedFiles]).toEqual(['events'])
  expect(logged).toEqual([
    expect.objectContaining({
      file: join('/data', 'log.db'),
      found: 'its table events is damaged',
    }),
  ])
})

test('a file that could not be checked is named, and its store stays ready', async () => {
  const { damagedFiles, logged, warned } = await check(async (file) => {
    if (file.endsWith('views.db')) throw new Error('the process ended')
    return undefined
  })

  expect(damagedFiles.size).toBe(0)
  expect(logged).toEqual([])
  expect(warned).toEqual([expect.objectContaining({ file: join('/data', 'views.db') })])
})

test('nothing is said of files whose check ends with the service', async () => {
  const { damagedFiles, logged, warned } = await check(
    () => Promise.reject(new Error('The thread was closed.')),
    AbortSignal.abort(),
  )

  expect(damagedFiles.size).toBe(0)
  expect([...logged, ...warned]).toEqual([])
})

describe('a process that checks a file', () => {
  function newFile(): string {
    const file = join(temporaryFolder(), 'log.db')
    const database = openDatabase({ file, synchronous: 'NORMAL' })
    database.exec('CREATE TABLE events (id TEXT); INSERT INTO events VALUES (1)')
    database.close()
    return file
  }

  test('finds nothing in a whole file, which can be written meanwhile', async () => {
    const file = newFile()
    const found = findDamageApart(file, checking)
    const database = openDatabase({ file, synchronous: 'NORMAL' })
    database.exec('INSERT INTO events VALUES (2)')
    database.close()

    expect(await found).toBeUndefined()
  })

  test('says why it cannot read a file', async () => {
    const file = join(temporaryFolder(), 'log.db')

    expect(await findDamageApart(file, checking)).toContain('it is not there')
  })

  test('ends with the service', async () => {
    await expect(findDamageApart(newFile(), AbortSignal.abort())).rejects.toThrow()
  })
})
