/** What a disk changes in a row of the read models: it is damage to whoever reads it, never another answer. */

import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Failure } from '../../../src/domain/failure.ts'
import { openEmbeddedReadStore } from '../../../src/stores/embedded/readStore.ts'
import { openDatabase, type SqlValue } from '../../../src/stores/embedded/sqlite.ts'
import type {
  Change,
  Checkpoint,
  Collection,
  Find,
  LoadedDocument,
  ReadStore,
} from '../../../src/stores/readStore.ts'

const indexed: Collection = { name: 'entries', version: 1, indexes: [['account']] }
const unindexed: Collection = { name: 'keys', version: 1, indexes: [] }
const collections = [indexed, unindexed]
const checkpoint: Checkpoint = {
  projection: 'entries',
  version: 1,
  position: 1_000_000,
  ready: true,
  witness: { stream: 'a', revision: 3, id: 'e7' },
  collections: ['entries', 'keys'],
}

let folder = ''
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'views-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const views = () => join(folder, 'views.db')
const ids = Array.from({ length: 9 }, (_, index) => `acc_a/block/${index}x`)
const changed = ids[4] ?? ''
const deleted = ids[6] ?? ''
const everyOne: Find = { where: { id: { prefix: 'acc_a/block/' } }, limit: 100 }
const byPage: Find = { ...everyOne, after: { id: ids[3] ?? '', values: [] }, limit: 2 }

async function fill(): Promise<void> {
  const store = openEmbeddedReadStore({ folder })
  await store.prepare(collections)
  const changes = collections.flatMap((collection) =>
    ids.map((id, index): Change => {
      const body = { account: 'acc_a', digest: `7f3a${index}`, digits: index, name: 'Käthe' }
      return { collection, id, position: 900_000 + index, body }
    }),
  )
  await store.commit(changes, { ...checkpoint, position: 999_999 })
  const last = collections.map((collection): Change => {
    return { collection, id: deleted, position: 1_000_000, body: null }
  })
  await store.commit(last, checkpoint)
  await store.completeIndexes(collections)
  await store.close()
}

function update(sql: string, ...values: SqlValue[]): void {
  const database = openDatabase({ file: views(), synchronous: 'NORMAL' })
  database.prepare(sql).run(...values)
  database.close()
}

const tableOf = ({ name, version }: Collection) => `c_${name}_${version}`

/** Everything that reads documents of a collection, by what it is called. */
const readings = {
  get: async (store: ReadStore, collection: Collection) =>
    Promise.all(ids.map((id) => store.get(collection, id))),
  load: (store: ReadStore, collection: Collection) => store.load(collection, ids),
  find: (store: ReadStore, collection: Collection) => store.find(collection, everyOne),
  page: (store: ReadStore, collection: Collection) => store.find(collection, byPage),
}

type Reading = keyof typeof readings

/** What each answers; 'damage' where it refuses. */
async function answersOf(collection: Collection): Promise<ReadonlyMap<Reading, unknown>> {
  const store = openEmbeddedReadStore({ folder, readOnly: true })
  const answers = new Map<Reading, unknown>()
  for (const [name, read] of Object.entries(readings)) {
    answers.set(name as Reading, await read(store, collection).catch(damageOf))
  }
  await store.close()
  return answers
}

function damageOf(error: unknown): 'damage' {
  if (error instanceof Failure && error.code === 'unavailable' && error.isDamage) return 'damage'
  throw error
}

/** What the next opening says, and how many checkpoints it then has. */
async function reopened(): Promise<{ rebuilt: readonly string[]; checkpoints: number }> {
  const rebuilt: string[] = []
  const store = openEmbeddedReadStore({ folder, onRebuild: (reason) => rebuilt.push(reason) })
  const found = await store.checkpoints()
  await store.close()
  return { rebuilt, checkpoints: found.length }
}

const builtAgain = {
  rebuilt: [expect.stringMatching(/views\.db was found damaged: .* built again/)],
  checkpoints: 0,
}

describe.each([
  ['with indexes', indexed],
  ['without', unindexed],
])('a document of a collection %s', (_, collection) => {
  test.each([
    ['its text', `body = replace(body, '7f3a4', '7f3b4')`],
    ['its position', 'position = position + 1'],
    ['its checksum', 'checksum = checksum + 1'],
    ['its deletion', 'body = NULL'],
    ['the kind of its text', 'body = CAST(body AS BLOB)'],
    ['the size of its position', 'position = 9007199254740993'],
  ])(
    'given that %s has changed, when it is read, then it is damage, and the next opening builds anew',
    async (_what, set) => {
      await fill()
      update(`UPDATE ${tableOf(collection)} SET ${set} WHERE id = ?`, changed)

      const answers = await answersOf(collection)

      expect(new Set(answers.values())).toEqual(new Set(['damage']))
      expect(await reopened()).toEqual(builtAgain)
      expect((await reopened()).rebuilt).toEqual([])
    },
  )

  test('given a deleted one that has changed, when it is loaded, then it is damage', async () => {
    await fill()
    update(`UPDATE ${tableOf(collection)} SET position = position - 1 WHERE id = ?`, deleted)

    const answers = await answersOf(collection)

    expect(answers.get('load')).toBe('damage')
    expect(await reopened()).toEqual(builtAgain)
  })

  test('given any bit of its row changed in the file, when it is read, then it is what was written or damage', async () => {
    await fill()
    const written = await answersOf(collection)
    const others: unknown[] = []
    let damages = 0

    for (const [at, bit] of bitsOf(placeInFile())) {
      flip(at, bit)
      const answers = await answersOf(collection)
      flip(at, bit)
      rmSync(`${views()}.damaged`, { force: true })
      const [refused, answered] = parted(answers)
      damages += refused.length
      const wrong = answered.filter(([name, answer]) => !equals(answer, written.get(name)))
      others.push(...wrong.map((one) => [at, bit, ...one]))
    }

    expect(others).toEqual([])
    // all bits of the text itself, at the least, and none that only who looks for others would meet
    const bitsOfText = 8 * rowText.length
    expect(damages).toBeGreaterThan(bitsOfText * Object.keys(readings).length)
    expect(await answersOf(collection)).toEqual(written)
  }, 60_000)

  const rowText = '{"account":"acc_a","digest":"7f3a4","digits":4,"name":"Käthe"}'

  /** The bytes from the id on to the end of the text. The collections have the same documents; the second one was made later. */
  function placeInFile(): readonly [number, number] {
    const database = openDatabase({ file: views(), synchronous: 'NORMAL', readOnly: true })
    const page = Number(
      database
        .prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?')
        .get(tableOf(collection))?.['rootpage'],
    )
    database.close()
    const bytes = readFileSync(views())
    const text = bytes.indexOf(rowText, (page - 1) * 4096)
    const id = bytes.lastIndexOf(changed, text)
    if (text < 0 || text - id > 40 || text > page * 4096) throw new Error('not in one piece')
    // with what SQLite writes before the values: their lengths
    return [id - 10, text + Buffer.byteLength(rowText)]
  }
})

function* bitsOf([from, end]: readonly [number, number]): Generator<readonly [number, number]> {
  for (let at = from; at < end; at += 1) for (let bit = 0; bit < 8; bit += 1) yield [at, bit]
}

function parted(answers: ReadonlyMap<Reading, unknown>) {
  const all = [...answers]
  const isDamage = ([, answer]: readonly [Reading, unknown]) => answer === 'damage'
  return [all.filter(isDamage), all.filter((one) => !isDamage(one))] as const
}

const equals = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function flip(at: number, bit: number): void {
  const byte = readFileSync(views())[at] ?? 0
  const file = openSync(views(), 'r+')
  writeSync(file, Uint8Array.of(byte ^ (1 << bit)), 0, 1, at)
  closeSync(file)
}

test.each([
  ['behind all that it lay among', (id: string) => id.replace('acc_a', 'acc_q')],
  ['before them', (id: string) => id.replace('acc_a', 'acc_A')],
  ['to its neighbour', (id: string) => id.replace('x', 'y')],
])(
  'given that an id has changed in the file %s, when it is looked for, then it is damage, wherever it lay',
  async (_, change) => {
    for (const id of ids.filter((one) => one !== deleted)) {
      await fill()
      replaceInFile(id, change(id))

      const answers = await answersOf(unindexed)

      const looked = [answers.get('get'), answers.get('load'), answers.get('find')]
      expect([id, ...looked]).toEqual([id, 'damage', 'damage', 'damage'])
      rmSync(folder, { recursive: true })
      folder = mkdtempSync(join(tmpdir(), 'views-'))
    }
  },
)

/** In the tree that holds the documents, where each text stands once. */
function replaceInFile(from: string, to: string): void {
  const database = openDatabase({ file: views(), synchronous: 'NORMAL', readOnly: true })
  const found = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?')
  const start = (Number(found.get(tableOf(unindexed))?.['rootpage']) - 1) * 4096
  database.close()
  const at = readFileSync(views()).indexOf(from, start)
  if (at < 0 || at > start + 4096) throw new Error('not in the tree of the documents')
  const file = openSync(views(), 'r+')
  writeSync(file, Buffer.from(to), 0, Buffer.byteLength(to), at)
  closeSync(file)
}

describe('a checkpoint', () => {
  test.each([
    ['projection', `projection = 'entriez'`],
    ['version', 'version = 2'],
    ['position', 'position = position + 1'],
    ['readiness', 'ready = 0'],
    ['witness', `witness = replace(witness, 'e7', 'e6')`],
    ['collections', `collections = replace(collections, 'keys', 'keyz')`],
    ['checksum', 'checksum = checksum + 1'],
  ])(
    'given that its %s has changed, when it is read, then it is damage, and the next opening builds anew',
    async (_, set) => {
      await fill()
      const reader = openEmbeddedReadStore({ folder, readOnly: true })
      update(`UPDATE checkpoints SET ${set}`)

      const read = await reader.checkpoints().catch(damageOf)

      await reader.close()
      expect(read).toBe('damage')
      expect(await reopened()).toEqual(builtAgain)
    },
  )

  test('given one that has changed while nobody looked, when the file is opened, then it is built anew at once', async () => {
    await fill()
    update('UPDATE checkpoints SET position = position + 1')

    expect(await reopened()).toEqual({
      rebuilt: [expect.stringMatching(/views\.db is damaged: .* built again/)],
      checkpoints: 0,
    })
    expect(existsSync(`${views()}.damaged`)).toBe(false)
    expect(statSync(views()).size).toBeGreaterThan(0)
  })

  test('given one that says that it is ready and was not, when whoever is not ready goes on, then it is damage', async () => {
    await fill()
    const store = openEmbeddedReadStore({ folder })
    const building = { ...checkpoint, projection: 'later', ready: false }
    await store.commit([], building)
    update(`UPDATE checkpoints SET ready = 1 WHERE projection = 'later'`)

    const next = await store.commit([], { ...building, position: 1_000_001 }).catch(damageOf)

    expect(next).toBe('damage')
    await store.close()
  })
})

test('what was loaded of a whole file is what was written', async () => {
  await fill()
  const store = openEmbeddedReadStore({ folder, readOnly: true })
  const expected = ids.map((id, index): LoadedDocument => {
    if (id === deleted) return { id, position: 1_000_000, body: null }
    const body = { account: 'acc_a', digest: `7f3a${index}`, digits: index, name: 'Käthe' }
    return { id, position: 900_000 + index, body }
  })

  for (const collection of collections) {
    expect(await store.load(collection, ids)).toEqual(expected)
    const found = await store.find(collection, everyOne)
    expect(found).toEqual(expected.filter(({ body }) => body !== null))
    expect(await store.get(collection, 'acc_a/block/')).toBeUndefined()
    expect(await store.get(collection, 'acc_b')).toBeUndefined()
  }
  await store.close()
})
