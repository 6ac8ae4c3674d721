import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openEmbeddedReadStore } from '../../../src/stores/embedded/readStore.ts'
import { scrubViews } from '../../../src/stores/embedded/scrubViews.ts'
import { openDatabase } from '../../../src/stores/embedded/sqlite.ts'
import type { Collection } from '../../../src/stores/readStore.ts'
import { draws } from '../../support/draws.ts'
import { changeByte } from '../support/indexEntries.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const entries: Collection = {
  name: 'entries',
  version: 1,
  indexes: [['list', 'added_at'], ['network']],
}
/** Each tree has room for them in one page: one that was split keeps remains of rows that nobody reads. */
const count = 50
const idOf = (number: number) => `entry-${String(number).padStart(4, '0')}`
const listOf = (number: number) => `list-${String(number).padStart(4, '0')}`

/** Read models with documents of every kind, all of them in their file. */
async function filled(): Promise<string> {
  const folder = temporaryFolder()
  const store = openEmbeddedReadStore({ folder })
  await store.prepare([entries])
  await store.completeIndexes([entries])
  const changes = Array.from({ length: count }, (_, number) => ({
    collection: entries,
    id: idOf(number),
    position: number + 1,
    body:
      number % 7 === 0
        ? null
        : { list: listOf(number), added_at: number, ...(number % 2 && { network: 'n' }) },
  }))
  const checkpoint = { projection: 'entries', version: 1, position: count, ready: true }
  await store.commit(changes, { ...checkpoint, collections: ['entries'] })
  await store.close()
  return join(folder, 'views.db')
}

const scrub = (file: string) =>
  scrubViews({ file, signal: new AbortController().signal, timeParts: 1 })

const placesOf = (bytes: Buffer, text: string): readonly number[] => {
  const places: number[] = []
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at)
  return places
}

test('given read models as they were written, when they are scrubbed, then they are whole', async () => {
  expect(await scrub(await filled())).toEqual({ kind: 'whole' })
})

test('given an index that is still to be made, when they are scrubbed, then they are whole', async () => {
  const file = await filled()
  const database = openDatabase({ file, synchronous: 'NORMAL' })
  database.exec('DROP INDEX c_entries_1_1')
  database.close()

  expect(await scrub(file)).toEqual({ kind: 'whole' })
})

test('given any letter changed of what an index has of a document, or of its indexed field, then they are damaged', async () => {
  const file = await filled()
  const bytes = readFileSync(file)
  const flip = fc.record({
    number: fc.nat(count - 1).filter((number) => number % 7 !== 0),
    of: fc.constantFrom(idOf, listOf),
    place: fc.nat(),
    letter: fc.nat(8),
    bit: fc.nat(6),
  })

  await fc.assert(
    fc.asyncProperty(flip, async ({ number, of, place, letter, bit }) => {
      const text = of(number)
      // in a body the field stands between quotes: that is what its checksum is for
      const places = placesOf(bytes, text).filter((at) => bytes[at - 1] !== 0x22)
      const at = (places[place % places.length] ?? 0) + letter
      changeByte(file, at, 1 << bit)
      const finding = await scrub(file)
      changeByte(file, at, 1 << bit)

      expect(places.length).toBeGreaterThan(1)
      expect(finding).toEqual({
        kind: 'damaged',
        message: expect.stringMatching(/^Cannot use .*views\.db: .*; restart Vigil, which builds/),
      })
    }),
    { numRuns: draws(100) },
  )
})
