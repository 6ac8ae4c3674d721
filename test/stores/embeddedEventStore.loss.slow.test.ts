import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dataFolderAt } from '../../src/stores/embedded/dataFolder.ts'
import { openEmbeddedReadStore } from '../../src/stores/embedded/embeddedReadStore.ts'
import { inspectLog } from '../../src/stores/embedded/inspectStores.ts'
import { removeReadStoreFile } from '../../src/stores/embedded/readStoreFile.ts'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { readWitnessFile } from '../../src/stores/embedded/witnesses.ts'
import type { EventStore, RecordedEvent } from '../../src/stores/eventStore.ts'
import { recordLoss } from '../../src/stores/transfer/acceptLoss.ts'
import { commitTo } from '../projections/memoryReadStore.ts'
import { crashedCopy } from '../support/crashedCopy.ts'
import { openForTest } from './support/embeddedUnderTest.ts'
import { failingDatabase } from './support/failingDatabase.ts'
import { newAppend, newEvent } from './support/newEvents.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

interface Crashed {
  readonly folder: string
  /** All that was acknowledged. */
  readonly history: readonly RecordedEvent[]
}

/**
 * A folder as a crash leaves it: 20 events in the file, 20 more in its -wal alone, and read models that have handled
 * 30.
 */
async function crashedFolder(): Promise<Crashed> {
  const folder = temporaryFolder()
  const first = await openForTest({ folder })
  for (let index = 0; index < 20; index += 1) {
    await first.append(newAppend(`a-${index}`, 'no_stream', 'x'))
  }
  await first.close()
  const second = await openForTest({ folder })
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
  await commitTo(views, [], {
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

async function replaceByLonger(folder: string): Promise<void> {
  const other = temporaryFolder()
  const store = await openForTest({ folder: other })
  for (let index = 0; index < 50; index += 1) {
    await store.append(newAppend(`b-${index}`, 'no_stream', 'other'))
  }
  await store.close()
  remove(folder, 'log.db-wal')
  cpSync(join(other, 'log.db'), join(folder, 'log.db'))
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
        `but by stores.witness and views.db it had come to position 40: the events from position ${from} on are missing.`,
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

  test.each(['log.db', 'log.db-wal'])(
    'given %s cut anywhere, when opened, then nothing acknowledged is missing in silence',
    async (name) => {
      const { folder, history } = await crashedFolder()
      const { length } = readFileSync(join(folder, name))

      await fc.assert(
        fc.asyncProperty(fc.nat(length - 1), async (end) => {
          const copy = copyOf(folder)
          truncateSync(join(copy, name), end)

          expectNoSilentLoss(await wholeOrRefused(copy), history)
        }),
        { numRuns: 40 },
      )
    },
  )

  test.each(['log.db', 'log.db-wal', 'stores.witness', 'views.db'])(
    'given bytes of %s changed anywhere, when opened, then nothing acknowledged is missing in silence',
    async (name) => {
      const { folder, history } = await crashedFolder()
      const bytes = readFileSync(join(folder, name))
      const change = fc.record({
        at: fc.nat(bytes.length - 1),
        mask: fc.integer({ min: 1, max: 255 }),
      })

      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
          const copy = copyOf(folder)
          const damaged = Buffer.from(bytes)
          for (const { at, mask } of changes) damaged[at] = (damaged[at] ?? 0) ^ mask
          writeFileSync(join(copy, name), damaged)

          expectNoSilentLoss(await wholeOrRefused(copy), history)
        }),
        { numRuns: 60 },
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

  test('given another log in its place that is longer, when opened, then it is refused', async () => {
    const { folder } = await crashedFolder()
    await replaceByLonger(folder)

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
  function accept(folder: string): number {
    const loss = inspectLog(dataFolderAt(folder))
    if (!loss) throw new Error('there is no loss')
    const recordedAt = recordLoss(dataFolderAt(folder), newEvent(`loss ${Math.random()}`))
    // they have seen more, and are built again
    removeReadStoreFile(folder)
    return recordedAt
  }

  test('given a loss after a loss, when accepted too, then both are on record', async () => {
    const { folder } = await crashedFolder()
    remove(folder, 'log.db-wal')
    accept(folder)
    const kept = readFileSync(join(folder, 'log.db'))
    const later = await openForTest({ folder })
    await later.append(newAppend('b-2', 'no_stream', 'x', 'y', 'z'))
    await later.close()
    remove(folder, 'log.db-wal')
    writeFileSync(join(folder, 'log.db'), kept)

    expect(accept(folder)).toBe(22)

    const events = (await wholeOrRefused(folder)) as readonly RecordedEvent[]
    expect(events.slice(20).map(({ revision }) => revision)).toEqual([0, 1])
  })

  test('given another log in its place, when accepted, then that one is the log from now on', async () => {
    const { folder } = await crashedFolder()
    await replaceByLonger(folder)

    expect(accept(folder)).toBe(51)
    expect(await wholeOrRefused(folder)).toHaveLength(51)
  })
})

function expectNoSilentLoss(
  found: readonly RecordedEvent[] | string,
  history: readonly RecordedEvent[],
): void {
  if (typeof found === 'string') expect(found).toMatch(/Cannot use|damaged|cannot be used/)
  else expect(found).toEqual(history)
}
