import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { Failure } from '../../../src/domain/failure.ts'
import { openEmbeddedKeyStore } from '../../../src/stores/embedded/embeddedKeyStore.ts'
import { openDatabase } from '../../../src/stores/embedded/sqlite.ts'
import type { KeyStore, SealingKey } from '../../../src/stores/keyStore.ts'
import { draws } from '../../support/draws.ts'
import { keyStoreContract } from '../keyStore.contract.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
const atMs = 1_700_000_000_000
const clock = { nowMs: () => atMs }
const masterKey = new Uint8Array(32).fill(7)

const opened: KeyStore[] = []

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

function openIn(folder: string, key = masterKey): KeyStore {
  const store = openEmbeddedKeyStore({ folder, masterKey: key, clock, random })
  opened.push(store)
  return store
}

async function close(store: KeyStore): Promise<void> {
  opened.splice(opened.indexOf(store), 1)
  await store.close()
}

/** All bytes of all files of the folder. */
function bytesIn(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((file) => readFileSync(join(folder, file))))
}

const idsOf = (keys: readonly SealingKey[]) => keys.map((key) => key.id)

keyStoreContract('the embedded key store', async () => {
  const folder = temporaryFolder()
  let store = openIn(folder)
  return {
    store,
    reopen: async () => {
      await close(store)
      store = openIn(folder)
      return store
    },
    dispose: () => close(store),
  }
})

/** The wrapped bytes as they stand in the file, read beside the store. */
function wrappedIn(folder: string, ids: readonly string[]): Buffer[] {
  const database = openDatabase({
    file: join(folder, 'keys.db'),
    synchronous: 'FULL',
    readOnly: true,
  })
  try {
    return ids.map((id) => {
      const { wrapped } = database.prepare('SELECT wrapped FROM keys WHERE id = ?').get(id) ?? {}
      return Buffer.from(wrapped as Uint8Array)
    })
  } finally {
    database.close()
  }
}

test('no secret stands in the folder in clear', async () => {
  const folder = temporaryFolder()
  const keys = await openIn(folder).make(64)

  const bytes = bytesIn(folder)
  expect(bytes.includes(keys[0]?.id ?? '-')).toBe(true)
  expect(keys.filter(({ secret }) => bytes.includes(Buffer.from(secret)))).toEqual([])
  expect(bytes.includes(Buffer.from(masterKey))).toBe(false)
})

test('whatever was added and destroyed before, no destroyed byte is left and no other lost', async () => {
  const step = fc.record({
    add: fc.integer({ min: 0, max: 90 }),
    destroy: fc.integer({ min: 0, max: 90 }),
    from: fc.nat(),
  })

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const folder = temporaryFolder()
      const store = openIn(folder)
      const living: SealingKey[] = []
      const wrapped: Buffer[] = []
      for (const { add, destroy, from } of steps) {
        const keys = await store.make(add)
        living.push(...keys)
        const gone = living.splice(from % (living.length + 1), destroy)
        wrapped.push(...wrappedIn(folder, idsOf(gone)))
        await store.destroy(idsOf(gone), atMs)
      }

      const bytes = bytesIn(folder)

      expect(wrapped.filter((one) => bytes.includes(one.subarray(12, 28)))).toEqual([])
      expect(await store.keys(idsOf(living))).toEqual(
        new Map(living.map(({ id, secret }) => [id, secret])),
      )
      await close(store)
    }),
    // every run writes to disk: the first counterexample is told as it is
    { numRuns: draws(15), endOnFailure: true },
  )
})

test('another master key is refused in words, and nothing is changed', async () => {
  const folder = temporaryFolder()
  const store = openIn(folder)
  const keys = await store.make(3)
  await close(store)
  const before = readFileSync(join(folder, 'keys.db'))

  const wrong = () => openIn(folder, new Uint8Array(32).fill(8))

  expect(wrong).toThrow(/keys\.db: its keys were made under another master key/)
  expect(readFileSync(join(folder, 'keys.db')).equals(before)).toBe(true)
  expect((await openIn(folder).keys(idsOf(keys))).size).toBe(3)
})

test('a file that is no database is refused and left as it is', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'keys.db')
  writeFileSync(file, 'not a database, but something somebody may need'.repeat(100))

  expect(() => openIn(folder)).toThrow(`Cannot use ${file}`)
  expect(readFileSync(file, 'utf8')).toMatch(/^not a database/)
})

test('a key altered or moved in the file is known as damaged', async () => {
  const folder = temporaryFolder()
  const store = openIn(folder)
  const [one, two, three] = (await store.make(3)) as [SealingKey, SealingKey, SealingKey]
  const database = openDatabase({ file: join(folder, 'keys.db'), synchronous: 'FULL' })

  database
    .prepare('UPDATE keys SET wrapped = (SELECT wrapped FROM keys WHERE id = ?) WHERE id = ?')
    .run(one.id, two.id)
  database.prepare('UPDATE keys SET wrapped = zeroblob(60) WHERE id = ?').run(one.id)
  database.close()

  expect(await store.keys([one.id, two.id, three.id])).toEqual(
    new Map<string, unknown>()
      .set(one.id, 'damaged')
      .set(two.id, 'damaged')
      .set(three.id, three.secret),
  )
})

test('a store that cannot write says so and can be used again', async () => {
  const folder = temporaryFolder()
  const store = openIn(folder)
  const other = openDatabase({ file: join(folder, 'keys.db'), synchronous: 'FULL' })
  other.exec('CREATE TRIGGER full BEFORE INSERT ON keys BEGIN SELECT RAISE(ABORT, 1) ; END')

  await expect(store.make(2)).rejects.toThrow()
  other.exec('DROP TRIGGER full')
  other.close()
  const keys = await store.make(2)

  expect((await store.keys(idsOf(keys))).size).toBe(2)
})

test('a key is not called destroyed while a reader holds its bytes in the log', async () => {
  const folder = temporaryFolder()
  const store = openIn(folder)
  const keys = await store.make(2)
  const wrapped = wrappedIn(folder, idsOf(keys))
  const reader = openDatabase({
    file: join(folder, 'keys.db'),
    synchronous: 'FULL',
    readOnly: true,
  })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) AS n FROM keys').get()

  const destroyed = store.destroy(idsOf(keys), atMs)

  await expect(destroyed).rejects.toBeInstanceOf(Failure)
  reader.exec('COMMIT')
  reader.close()
  await store.destroy(idsOf(keys), atMs)
  expect(wrapped.filter((one) => bytesIn(folder).includes(one.subarray(12, 28)))).toEqual([])
})

test('a key on record as destroyed is destroyed, also where a crash has left its secret', async () => {
  const folder = temporaryFolder()
  const store = openIn(folder)
  const [one, two] = (await store.make(2)) as [SealingKey, SealingKey]
  const database = openDatabase({ file: join(folder, 'keys.db'), synchronous: 'FULL' })
  database.prepare('INSERT INTO destroyed (id, at) VALUES (?, ?)').run(one.id, 7)
  database.close()

  expect(await store.keys([one.id, two.id])).toEqual(
    new Map<string, unknown>().set(one.id, 'destroyed').set(two.id, two.secret),
  )
})

test('more keys than one statement takes are found, each once', async () => {
  const store = openIn(temporaryFolder())
  const keys = await store.make(2_500)

  expect(await store.keys(idsOf(keys))).toEqual(new Map(keys.map(({ id, secret }) => [id, secret])))
})
