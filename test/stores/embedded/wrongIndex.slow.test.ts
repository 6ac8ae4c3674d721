import { existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { copyLog } from '../../../src/stores/embedded/copyLog.ts'
import {
  type EmbeddedEventStore,
  openEmbeddedEventStore,
} from '../../../src/stores/embedded/embeddedEventStore.ts'
import { markIndex } from '../../../src/stores/embedded/markedIndex.ts'
import type { Odd } from '../../../src/stores/embedded/scrubDaily.ts'
import { scrubLog } from '../../../src/stores/embedded/scrubLog.ts'
import { openDatabase } from '../../../src/stores/embedded/sqlite.ts'
import { eventually } from '../../support/eventually.ts'
import { changeByte, inIndex } from '../support/indexEntries.ts'
import { newAppend } from '../support/newEvents.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

interface Opened {
  readonly store: EmbeddedEventStore
  readonly log: string
  readonly found: readonly Odd<'log'>[]
  readonly troubles: readonly (string | undefined)[]
  readonly mended: () => number
}

async function open(folder: string, firstAfterMs?: number): Promise<Opened> {
  const found: Odd<'log'>[] = []
  const troubles: (string | undefined)[] = []
  let mended = 0
  const store = await openEmbeddedEventStore({
    folder,
    scrub: { firstAfterMs },
    onOdd: (one) => found.push(one),
    onTrouble: (reason) => troubles.push(reason),
    onMending: () => {
      mended += 1
    },
  })
  onTestFinished(store.close)
  return { store, log: join(folder, 'log.db'), found, troubles, mended: () => mended }
}

const nameOf = (number: number) => `token-tok_${String(number).padStart(6, '0')}`

/** A log of so many streams of two events each, all of it in its file. */
async function logOf(streams: number): Promise<string> {
  const folder = temporaryFolder()
  const { store } = await open(folder)
  for (let number = 0; number < streams; number += 1) {
    await store.append(newAppend(nameOf(number), 'no_stream', 'issued', 'revoked'))
  }
  await store.close()
  return folder
}

const revoked = (store: EmbeddedEventStore, number: number) =>
  store.readStream(nameOf(number), { from: 0, limit: 10 })

test('given an entry of the index changed while the log is in use, then it is told, nothing more is taken, and the next start mends it', async () => {
  const folder = await logOf(40)
  const { store, log, found, troubles } = await open(folder, 50)
  const bytes = readFileSync(log)
  const places = inIndex(bytes, nameOf(7))
  const { length } = nameOf(7)
  changeByte(log, (places.at(-1) ?? 0) + length - 1, 0x10)

  await eventually(() => found.length > 0)

  expect(places).toHaveLength(2)
  const why = expect.stringMatching(
    /^Cannot use .*log\.db: its index is wrong at position \d+: an event is not found by its stream; restart Vigil, which makes the index anew\.$/,
  )
  expect(found).toEqual([{ kind: 'index', message: why }])
  expect(troubles).toEqual([why])
  expect(store.takesAppends()).toBe(false)
  await expect(store.append(newAppend('other', 'no_stream', 'x'))).rejects.toMatchObject({
    code: 'unavailable',
  })
  await store.close()

  const { store: again, mended } = await open(folder)
  expect(mended()).toBe(1)
  expect(await revoked(again, 7)).toHaveLength(2)
  expect((await again.append(newAppend(nameOf(7), 1, 'more'))).ok).toBe(true)
  await again.close()

  expect((await open(folder)).mended()).toBe(0)
})

test('given a sound log, when it is looked at, then nothing is said', async () => {
  const folder = await logOf(40)
  const { store, found } = await open(folder, 0)

  expect((await store.append(newAppend('other', 'no_stream', 'x'))).ok).toBe(true)
  const asked = { file: join(folder, 'log.db'), signal: new AbortController().signal, timeParts: 1 }
  expect(await scrubLog(asked)).toEqual({ kind: 'whole' })
  expect(found).toEqual([])
})

test('given any letter of any entry of the index changed, when it is looked at, then the index is wrong', async () => {
  const folder = await logOf(60)
  const log = join(folder, 'log.db')
  const bytes = readFileSync(log)
  const { signal } = new AbortController()
  const { length } = nameOf(0)
  const flip = fc.record({
    stream: fc.nat(59),
    entry: fc.nat(1),
    letter: fc.nat(length - 1),
    bit: fc.nat(6),
  })

  await fc.assert(
    fc.asyncProperty(flip, async ({ stream, entry, letter, bit }) => {
      const at = (inIndex(bytes, nameOf(stream))[entry] ?? 0) + letter
      changeByte(log, at, 1 << bit)
      const finding = await scrubLog({ file: log, signal, timeParts: 1 })
      changeByte(log, at, 1 << bit)

      expect(finding.kind).toBe('index')
    }),
    { numRuns: 100 },
  )
})

test.each([
  ['changed', `UPDATE events SET data = '{}' WHERE position = 11`, /position 11 has changed/],
  ['gone', 'DELETE FROM events WHERE position = 11', /position 11 is missing/],
])(
  'given an event that is %s, then that is told and no index is made of it',
  async (_, sql, why) => {
    const folder = await logOf(40)
    const log = join(folder, 'log.db')
    const database = openDatabase({ file: log, synchronous: 'FULL' })
    database.exec(sql)
    database.close()
    const { signal } = new AbortController()

    const finding = await scrubLog({ file: log, signal, timeParts: 1 })

    if (sql.includes('SET data')) expect(finding).toEqual({ kind: 'whole' })
    else expect(finding).toEqual({ kind: 'event', message: expect.stringMatching(why) })
    markIndex(log)
    await expect(open(folder)).rejects.toThrow(
      /position 11 (has changed since it was written|is missing); restore it from a backup/,
    )
    expect(existsSync(`${log}.wrong-index`)).toBe(true)
  },
)

/** The byte behind an entry's name is the position, where it is small and the revision is 0 or 1. */
const positionOf = (bytes: Buffer, name: string) => (inIndex(bytes, name)[0] ?? 0) + name.length

test.each([
  ['its position', (bytes: Buffer) => positionOf(bytes, nameOf(7))],
  ['its name', (bytes: Buffer) => positionOf(bytes, nameOf(7)) - 1],
])(
  'given %s changed of an entry among the last events, when the log is opened, then the index is made anew',
  async (_, placeOf) => {
    const folder = await logOf(40)
    const log = join(folder, 'log.db')
    changeByte(log, placeOf(readFileSync(log)), 0x01)
    const { signal } = new AbortController()
    expect(await scrubLog({ file: log, signal, timeParts: 1 })).toMatchObject({ kind: 'index' })

    const { store, mended } = await open(folder)

    expect(mended()).toBe(1)
    for (let number = 0; number < 40; number += 1) {
      expect(await revoked(store, number)).toHaveLength(2)
    }
  },
)

test('given a page of the index that cannot be read, when the log is opened, then the refusal says how to go on without a loss', async () => {
  const folder = await logOf(40)
  const log = join(folder, 'log.db')
  const at = positionOf(readFileSync(log), nameOf(7))
  changeByte(log, at - (at % 8_192), 0x01)
  const { signal } = new AbortController()
  expect(await scrubLog({ file: log, signal, timeParts: 1 })).toMatchObject({ kind: 'index' })

  await expect(open(folder)).rejects.toThrow(
    /its index cannot be read, and every event in it is whole; nothing was changed; vigil backup, and/,
  )

  const to = join(temporaryFolder(), 'copy.db')
  const copied = await copyLog({ from: log, to, signal, onProgress: () => undefined })
  expect(copied.events).toBe(80)
  expect(await scrubLog({ file: to, signal, timeParts: 1 })).toEqual({ kind: 'whole' })
})

test('given an entry changed and an event behind it damaged, then the index is what is told', async () => {
  const folder = await logOf(40)
  const log = join(folder, 'log.db')
  changeByte(log, positionOf(readFileSync(log), nameOf(20)) - 1, 0x01)
  const database = openDatabase({ file: log, synchronous: 'FULL' })
  database.exec(`UPDATE events SET data = '{}' WHERE position IN (3, 60)`)
  database.exec('DELETE FROM events WHERE position = 5')
  database.close()
  const { signal } = new AbortController()

  expect(await scrubLog({ file: log, signal, timeParts: 1 })).toMatchObject({ kind: 'index' })
})

test.each([
  ['gone', (log: string) => rmSync(log)],
  ['empty', (log: string) => truncateSync(log)],
])(
  'given a log that is %s, when its index was to be made anew, then the log is what is missed',
  async (_, happen) => {
    const folder = await logOf(5)
    const log = join(folder, 'log.db')
    markIndex(log)
    happen(log)

    await expect(open(folder)).rejects.toThrow(/log\.db: it is empty or gone, but by log\.witness/)
  },
)

test('given a letter of the stream changed in an event itself, then the event is damaged, and no index is made of it', async () => {
  const folder = await logOf(40)
  const log = join(folder, 'log.db')
  const bytes = readFileSync(log)
  expect(inIndex(bytes, nameOf(7))).not.toContain(bytes.lastIndexOf(nameOf(7)))
  // the last place: a page that was split has left what stood in it
  const at = bytes.lastIndexOf(nameOf(7))
  changeByte(log, at + 8, 0x01)
  const { signal } = new AbortController()

  expect(await scrubLog({ file: log, signal, timeParts: 1 })).toEqual({
    kind: 'event',
    message: expect.stringMatching(/the event at position 1[56] has changed since it was written/),
  })
})

test('given a stream that was written twice over meanwhile, when the index is to be made anew, then the start is refused', async () => {
  const folder = await logOf(40)
  const { store, log } = await open(folder)
  // entries are written from the end of a page
  const [last = 0] = inIndex(readFileSync(log), nameOf(7))
  changeByte(log, last + nameOf(7).length - 1, 0x08)
  expect((await store.append(newAppend(nameOf(7), 0, 'another'))).ok).toBe(true)
  await store.close()
  markIndex(log)

  await expect(open(folder)).rejects.toThrow(
    /its index was wrong, and a stream was written twice over; nothing was changed; restore a backup/,
  )
  await expect(open(folder)).rejects.toThrow(/written twice over/)
})
