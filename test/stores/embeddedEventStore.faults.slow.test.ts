import { type StatsFs, statfsSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { openForTest } from './support/embeddedUnderTest.ts'
import { failingDatabase } from './support/failingDatabase.ts'
import { newAppend, newEvent } from './support/newEvents.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

vi.mock(import('node:fs'), async (original) => {
  const actual = await original()
  return { ...actual, statfsSync: vi.fn(actual.statfsSync) as typeof actual.statfsSync }
})

/** Result codes of SQLite, with the extension that a real failure carries. */
const full = 13
const ioErrorWrite = 10 | (3 << 8)
const ioErrorSync = 10 | (4 << 8)
const busy = 5
const corrupt = 11

describe('a full disk', () => {
  test('given a file that may not grow, when it is full, then appends are refused, and written again once there is room', async () => {
    let resize: (pages: number) => void = () => undefined
    const store = await openForTest({
      open: (options) => {
        const database = openDatabase(options)
        resize = (pages) => database.exec(`PRAGMA max_page_count = ${pages}`)
        return database
      },
    })
    await store.append(newAppend('a-1', 'no_stream', 'x'))
    resize(8)
    const large = { ...newEvent('large'), data: JSON.stringify('x'.repeat(100_000)) }
    const append = { stream: 'a-2', expected: 'no_stream' as const, events: [large] }

    const refused = await Promise.allSettled([
      store.append(append),
      store.append(newAppend('a-3', 'no_stream', 'in the same batch')),
    ])

    const cause = { message: expect.stringMatching(/full/) }
    const reason = { code: 'unavailable', retryAfterSeconds: 1, cause }
    expect(refused).toMatchObject([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ])
    expect(await store.head()).toBe(1)
    resize(10_000)
    expect(await store.append(append)).toEqual({ ok: true, revision: 0, position: 2 })
    expect(await store.readAll({ after: 0, limit: 10 })).toHaveLength(2)
  })

  test('given a full disk at every append for a while, when there is room again, then positions have no hole', async () => {
    const disk = failingDatabase()
    const store = await openForTest({ open: disk.open })
    for (let index = 0; index < 6; index += 1) {
      disk.fail = index % 2 ? { sql: 'COMMIT', errcode: full } : undefined
      await store.append(newAppend(`a-${index}`, 'no_stream', 'x')).catch(() => undefined)
    }

    const events = await store.readAll({ after: 0, limit: 10 })

    expect(events.map(({ position, stream }) => [position, stream])).toEqual([
      [1, 'a-0'],
      [2, 'a-2'],
      [3, 'a-4'],
    ])
  })
})

describe('the health of a log', () => {
  test('given a disk that was full, when there is room again and nobody appends, then the log takes appends by itself', async () => {
    const disk = failingDatabase()
    const told: (string | undefined)[] = []
    const store = await openForTest({
      open: disk.open,
      onHealthChange: (reason) => told.push(reason),
    })
    expect(store.isWritable()).toBe(true)
    vi.mocked(statfsSync).mockReturnValue({ bavail: 3, bsize: 4_096 } as StatsFs)
    disk.fail = { sql: 'COMMIT', errcode: full }

    const refused = store.append(newAppend('a-1', 'no_stream', 'x'))
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' })

    expect(store.isWritable()).toBe(false)
    disk.fail = undefined
    vi.mocked(statfsSync).mockReturnValue({ bavail: 10_000, bsize: 4_096 } as StatsFs)
    expect(store.isWritable()).toBe(true)
    expect(told).toEqual([
      expect.stringMatching(/log\.db: the disk is full; free some space\.$/),
      undefined,
    ])
    expect(await store.head()).toBe(0)
    expect(await store.append(newAppend('a-1', 'no_stream', 'x'))).toMatchObject({ position: 1 })
  })
})

describe('a busy file', () => {
  test('given another connection that holds the log, when an append fails on it, then the next one is written', async () => {
    const disk = failingDatabase()
    const store = await openForTest({ open: disk.open })
    disk.fail = { sql: 'BEGIN', errcode: busy }

    const refused = store.append(newAppend('a-1', 'no_stream', 'x'))
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' })
    disk.fail = undefined

    expect(await store.append(newAppend('a-1', 'no_stream', 'x'))).toMatchObject({ ok: true })
  })
})

describe('a disk that fails', () => {
  test.each([
    ['a row cannot be written', { sql: 'INSERT', errcode: ioErrorWrite }],
    ['the sync of a commit fails', { sql: 'COMMIT', errcode: ioErrorSync }],
    [
      'the sync fails though the commit was written',
      { sql: 'COMMIT', errcode: ioErrorSync, afterwards: true },
    ],
    ['the file turns out damaged', { sql: 'INSERT', errcode: corrupt }],
  ])(
    'when %s, then the store stops writing, tries nothing again, and a restart knows what is there',
    async (_, fail) => {
      const folder = temporaryFolder()
      const disk = failingDatabase()
      const store = await openForTest({ folder, open: disk.open })
      await store.append(newAppend('a-1', 'no_stream', 'kept'))
      disk.fail = fail
      const unknown = newAppend('a-2', 'no_stream', 'unknown')

      const refused = await Promise.allSettled([
        store.append(unknown),
        store.append(newAppend('a-3', 'no_stream', 'in the same batch')),
      ])
      const attempts = disk.run.length
      disk.fail = undefined
      const later = store.append(newAppend('a-4', 'no_stream', 'later'))

      await expect(later).rejects.toThrow('takes nothing more until the service is restarted')
      await expect(later).rejects.toMatchObject({ code: 'unavailable' })
      expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(disk.run.slice(attempts)).toEqual([])
      expect(await store.readStream('a-1', { from: 0, limit: 1 })).toHaveLength(1)
      await store.close()
      const reopened = await openForTest({ folder })
      expect(await reopened.append(unknown)).toMatchObject({ ok: true, revision: 0 })
      expect(await reopened.readStream('a-2', { from: 0, limit: 9 })).toHaveLength(1)
      expect(await reopened.readStream('a-1', { from: 0, limit: 9 })).toHaveLength(1)
    },
  )
})

describe('what a commit rests on', () => {
  test('given a new log, when opened, then every commit is synced before it returns', async () => {
    let synchronous: unknown
    await openForTest({
      open: (options) => {
        const database = openDatabase(options)
        synchronous = database.prepare('PRAGMA synchronous').get()
        return database
      },
    })

    expect(synchronous).toEqual({ synchronous: 2 })
  })
})
