import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dataFolder } from '../../src/stores/embedded/dataFolder.ts'
import { inspectLog } from '../../src/stores/embedded/inspectStores.ts'
import { openEmbeddedReadStore } from '../../src/stores/embedded/readStore.ts'
import { recordLoss } from '../../src/stores/embedded/recordLoss.ts'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { readWitnessFile } from '../../src/stores/embedded/witnesses.ts'
import type { EventStore, RecordedEvent } from '../../src/stores/eventStore.ts'
import { crashedCopy } from '../support/crashedCopy.ts'
import { openForTest } from './support/embeddedUnderTest.ts'
import { failingDatabase } from './support/failingDatabase.ts'
import { newAppend, newEvent } from './support/newEvents.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

const firstMs = Date.UTC(2026, 0, 2, 3, 4, 5)

interface Crashed {
  readonly folder: string
  /** All that was acknowledged. */
  readonly history: readonly RecordedEvent[]
}

/** A folder as a crash leaves it: 20 events in the file, 20 more in its -wal alone, and read models that have handled 30. */
async function crashedFolder(): Promise<Crashed> {
  const folder = temporaryFolder()
  const nowMs = () => firstMs
  const first = await openForTest({ folder, nowMs })
  for (let index = 0; index < 20; index += 1) {
    await first.append(newAppend(`a-${index}`, 'no_stream', 'x'))
  }
  await first.close()
  const second = await openForTest({ folder, nowMs })
  for (let index = 20; index < 40; index += 1) {
    await second.append(newAppend(`a-${index}`, 'no_stream', 'x'))
  }
  const history = await second.readAll({ after: 0, limit: 100 })
  await projectUpTo(folder, history[29])
  return { folder: copyOf(folder), history }
}

async function projectUpTo(folder: string, event: RecordedEvent | undefined): Promise<void> {
  if (!event) throw new Error('there is no such event')
  const { position, stream, revision, id } = event
  const views = openEmbeddedReadStore({ folder })
  await views.commit([], {
    projection: 'letters',
    version: 1,
    position,
    ready: true,
    witness: { stream, revision, id },
    collections: [],
  })
  await views.close()
}

function copyOf(folder: string): string {
  const copy = crashedCopy(folder)
  onTestFinished(() => rmSync(copy, { recursive: true }))
  return copy
}

function remove(folder: string, ...names: readonly string[]): void {
  for (const name of names) rmSync(join(folder, name), { force: true })
}

/** The whole history, or the sentence of the refusal; anything between them is a loss in silence. */
async function wholeOrRefused(folder: string): Promise<readonly RecordedEvent[] | string> {
  let store: EventStore | undefined
  try {
    store = await openForTest({ folder })
    return await store.readAll({ after: 0, limit: 100 })
  } catch (error) {
    return String((error as Error).message)
  } finally {
    await store?.close()
  }
}

/** Leaves what SQLite makes of a file that is missing: a database without a table. */
function emptyLog(folder: string): void {
  remove(folder, 'log.db', 'log.db-wal', 'log.db-shm')
  const database = openDatabase({ file: join(folder, 'log.db'), synchronous: 'FULL' })
  database.exec('VACUUM')
  database.close()
}

/** The bytes of every file, to see that a refusal changed nothing. */
function bytesOf(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((name) =>
    /^(log|views)\.(db|db-wal|witness)$/.test(name),
  )
  const contents = names.map((name) => [name, readFileSync(join(folder, name))] as const)
  // A reader makes an empty -wal file where there was none.
  const written = contents.filter(([, bytes]) => bytes.length > 0)
  return new Map(
    written.map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]),
  )
}

describe('a log that has lost its end', () => {
  test('given all that a crash leaves, when opened, then everything acknowledged is there', async () => {
    const { folder, history } = await crashedFolder()

    expect(await wholeOrRefused(folder)).toEqual(history)
    expect(history).toHaveLength(40)
  })

  test.each([
    { gone: ['log.db-wal'], end: 'it ends at position 20', from: 21 },
    { gone: ['log.db'], end: 'it is empty or gone', from: 1 },
    { gone: ['log.db', 'log.db-wal'], end: 'it is empty or gone', from: 1 },
  ])(
    'given $gone deleted, when opened, then it is refused by name, with what is missing and what to do, and nothing is changed',
    async ({ gone, end, from }) => {
      const { folder } = await crashedFolder()
      remove(folder, ...gone)
      const before = bytesOf(folder)

      const refusal = await wholeOrRefused(folder)

      expect(refusal).toContain(`Cannot use ${join(folder, 'log.db')}: ${end}`)
      expect(refusal).toContain(
        `but by stores.witness and views.db it had come to position 40 (2026-01-02T03:04:05.000Z): the events from position ${from} on are missing.`,
      )
      expect(refusal).toContain('vigil restore --accept-loss')
      expect(bytesOf(folder)).toEqual(before)
    },
  )

  test('given an empty database in its place, when opened, then it is refused like a log that is gone', async () => {
    const { folder } = await crashedFolder()
    emptyLog(folder)
    const before = bytesOf(folder)

    const refusal = await wholeOrRefused(folder)

    expect(refusal).toContain(
      `Cannot use ${join(folder, 'log.db')}: it is empty or gone, but by stores.witness and views.db it had come to position 40`,
    )
    expect(bytesOf(folder)).toEqual(before)
  })

  test('given the empty database of a start that was killed, when opened, then it is a new log', async () => {
    const folder = temporaryFolder()
    emptyLog(folder)

    expect(await wholeOrRefused(folder)).toEqual([])
  })

  test('given its -wal file cut anywhere, when opened, then nothing acknowledged is missing in silence', async () => {
    const { folder, history } = await crashedFolder()
    const wal = readFileSync(join(folder, 'log.db-wal'))

    await fc.assert(
      fc.asyncProperty(fc.nat(wal.length - 1), async (length) => {
        const copy = copyOf(folder)
        truncateSync(join(copy, 'log.db-wal'), length)

        expectNoSilentLoss(await wholeOrRefused(copy), history)
      }),
      { numRuns: 40 },
    )
  })

  test.each(['log.db', 'log.db-wal', 'stores.witness', 'views.db'])(
    'given any byte of %s flipped, when opened, then nothing acknowledged is missing in silence',
    async (name) => {
      const { folder, history } = await crashedFolder()
      const bytes = readFileSync(join(folder, name))

      await fc.assert(
        fc.asyncProperty(
          fc.nat(bytes.length - 1),
          fc.integer({ min: 1, max: 255 }),
          async (at, mask) => {
            const copy = copyOf(folder)
            const flipped = Buffer.from(bytes)
            flipped[at] = (flipped[at] ?? 0) ^ mask
            writeFileSync(join(copy, name), flipped)

            expectNoSilentLoss(await wholeOrRefused(copy), history)
          },
        ),
        { numRuns: 40 },
      )
    },
  )

  test.each([
    ['stores.witness', 'views.db', 30],
    ['views.db', 'stores.witness', 40],
  ])('given %s is gone too, when opened, then %s alone proves it', async (gone, left, position) => {
    const { folder } = await crashedFolder()
    remove(folder, 'log.db-wal', gone)

    expect(await wholeOrRefused(folder)).toContain(`by ${left} it had come to position ${position}`)
  })

  test('given an older copy of the log in its place, when opened, then it is refused', async () => {
    const { folder } = await crashedFolder()
    const store = await openForTest({ folder })
    await store.append(newAppend('a-later', 'no_stream', 'x'))
    await store.close()
    const older = readFileSync(join(folder, 'log.db'))
    const again = await openForTest({ folder })
    await again.append(newAppend('a-latest', 'no_stream', 'x'))
    await again.close()
    remove(folder, 'log.db-wal')
    writeFileSync(join(folder, 'log.db'), older)

    expect(await wholeOrRefused(folder)).toMatch(
      /it ends at position 41, but .* come to position 42/,
    )
  })

  test('given read models of another log, when opened, then the witness of this one counts', async () => {
    const { folder, history } = await crashedFolder()
    const other = await crashedFolder()
    await projectUpTo(other.folder, { ...(other.history[34] as RecordedEvent), id: 'of another' })
    cpSync(join(other.folder, 'views.db'), join(folder, 'views.db'))

    expect(await wholeOrRefused(folder)).toEqual(history)
  })

  test('given another log in its place that is longer, when opened, then it is refused', async () => {
    const { folder } = await crashedFolder()
    const other = temporaryFolder()
    const store = await openForTest({ folder: other })
    for (let index = 0; index < 50; index += 1) {
      await store.append(newAppend(`b-${index}`, 'no_stream', 'other'))
    }
    await store.close()
    remove(folder, 'log.db-wal')
    cpSync(join(other, 'log.db'), join(folder, 'log.db'))

    expect(await wholeOrRefused(folder)).toContain(
      'it is not the log that stores.witness and views.db saw',
    )
  })
})

describe('the witness of the log', () => {
  test.each(['caller', 'own'] as const)(
    'given a writer in the %s thread, when an append is answered, then the witness knows of it already',
    async (thread) => {
      const folder = temporaryFolder()
      const store = await openForTest({ folder, thread })

      for (let index = 0; index < 30; index += 1) {
        const answer = await store.append(newAppend(`a-${index}`, 'no_stream', 'x', 'y'))
        const mark = readWitnessFile(join(folder, 'stores.witness'), 'log')
        const [last] = await store.readAll({ after: 2 * index + 1, limit: 1 })

        expect(mark).toMatchObject({ position: answer.ok && answer.position, id: last?.id })
      }
    },
  )

  test('given appends that were refused, when the log is opened again, then the witness never knew more than it', async () => {
    const folder = temporaryFolder()
    const disk = failingDatabase()
    const store = await openForTest({ folder, open: disk.open })
    await store.append(newAppend('a-1', 'no_stream', 'x'))
    disk.fail = { sql: 'COMMIT', errcode: 13 }
    await expect(store.append(newAppend('a-2', 'no_stream', 'x', 'y'))).rejects.toThrow()
    disk.fail = undefined
    await expect(store.append(newAppend('a-1', 'no_stream', 'z'))).resolves.toMatchObject({
      ok: false,
    })
    await store.close()

    expect(readWitnessFile(join(folder, 'stores.witness'), 'log')).toMatchObject({ position: 1 })
    expect(await wholeOrRefused(folder)).toHaveLength(1)
  })
})

describe('a loss that was accepted', () => {
  const lossEvent = () => newEvent(`loss ${Math.random()}`)

  function accept(folder: string): number {
    const loss = inspectLog(dataFolder(folder))
    if (!loss) throw new Error('there is no loss')
    return recordLoss(dataFolder(folder), {
      missing: loss.missing,
      stream: 'installation-losses',
      event: lossEvent(),
      nowMs: () => firstMs,
    })
  }

  test('given an accepted loss, when opened, then what was kept is there, and no position is used again', async () => {
    const { folder, history } = await crashedFolder()
    remove(folder, 'log.db-wal')

    const recordedAt = accept(folder)
    const store = await openForTest({ folder })
    const answer = await store.append(newAppend('a-next', 'no_stream', 'x'))
    const events = await store.readAll({ after: 0, limit: 100 })

    expect(recordedAt).toBe(41)
    expect(answer).toMatchObject({ ok: true, position: 42 })
    expect(events.slice(0, 20)).toEqual(history.slice(0, 20))
    expect(events.slice(20).map(({ position, stream }) => [position, stream])).toEqual([
      [41, 'installation-losses'],
      [42, 'a-next'],
    ])
    expect(await store.readAll({ after: 30, limit: 100 })).toHaveLength(2)
    expect(inspectLog(dataFolder(folder))).toBeUndefined()
  })

  test('given an empty database in the place of the log, when accepted, then it goes on behind what is lost', async () => {
    const { folder } = await crashedFolder()
    emptyLog(folder)

    expect(accept(folder)).toBe(41)
    expect(await wholeOrRefused(folder)).toHaveLength(1)
  })

  test('given a follower that had seen what is lost, when it goes on, then it misses nothing that comes', async () => {
    const { folder } = await crashedFolder()
    remove(folder, 'log.db-wal')
    accept(folder)
    const store = await openForTest({ folder })
    await store.append(newAppend('a-next', 'no_stream', 'x'))
    const stop = new AbortController()
    onTestFinished(() => stop.abort())

    for (const [after, count] of [
      [40, 2],
      [5, 17],
    ] as const) {
      for await (const batch of store.follow(after, stop.signal)) {
        expect(batch).toHaveLength(count)
        break
      }
    }
  })

  test('given the whole log lost, and lost again, when accepted each time, then it goes on behind both', async () => {
    const { folder } = await crashedFolder()
    remove(folder, 'log.db', 'log.db-wal')
    expect(accept(folder)).toBe(41)
    const store = await openForTest({ folder })
    await store.append(newAppend('a-1', 'no_stream', 'x'))
    await store.close()
    const kept = readFileSync(join(folder, 'log.db'))
    const later = await openForTest({ folder })
    await later.append(newAppend('a-2', 'no_stream', 'x', 'y', 'z'))
    await later.close()
    remove(folder, 'log.db-wal')
    writeFileSync(join(folder, 'log.db'), kept)

    expect(accept(folder)).toBe(46)

    const events = await wholeOrRefused(folder)
    expect((events as readonly RecordedEvent[]).map(({ position }) => position)).toEqual([
      41, 42, 46,
    ])
    expect((events as readonly RecordedEvent[]).map(({ revision }) => revision)).toEqual([0, 0, 1])
  })

  test('given the log gone and its -wal left, when accepted, then the old -wal is not taken for the new log’s', async () => {
    const { folder } = await crashedFolder()
    remove(folder, 'log.db')

    expect(accept(folder)).toBe(41)

    expect(await wholeOrRefused(folder)).toHaveLength(1)
  })

  test('given a witness of what was accepted as lost, when it is still there, then it is no loss again', async () => {
    const { folder } = await crashedFolder()
    remove(folder, 'log.db-wal')

    accept(folder)

    expect(existsSync(join(folder, 'views.db'))).toBe(true)
    expect(await wholeOrRefused(folder)).toHaveLength(21)
  })

  test('given another log in its place, when accepted, then that one is the log from now on', async () => {
    const { folder } = await crashedFolder()
    const other = temporaryFolder()
    const store = await openForTest({ folder: other })
    for (let index = 0; index < 50; index += 1) {
      await store.append(newAppend(`b-${index}`, 'no_stream', 'other'))
    }
    await store.close()
    remove(folder, 'log.db-wal')
    cpSync(join(other, 'log.db'), join(folder, 'log.db'))

    expect(accept(folder)).toBe(51)
    // `restoreFolder` removes the read models of the other log
    remove(folder, 'views.db')
    expect(await wholeOrRefused(folder)).toHaveLength(51)
  })

  test('given an event that is missing beside an accepted loss, when read, then it is damage all the same', async () => {
    const { folder } = await crashedFolder()
    remove(folder, 'log.db-wal')
    accept(folder)
    const database = openDatabase({ file: join(folder, 'log.db'), synchronous: 'FULL' })
    database.exec('DELETE FROM events WHERE position = 20')
    database.close()

    expect(await wholeOrRefused(folder)).toContain('position 20 is missing')
  })
})

function expectNoSilentLoss(
  found: readonly RecordedEvent[] | string,
  history: readonly RecordedEvent[],
): void {
  if (typeof found === 'string') expect(found).toMatch(/Cannot use|damaged|cannot be used/)
  else expect(found).toEqual(history)
}
