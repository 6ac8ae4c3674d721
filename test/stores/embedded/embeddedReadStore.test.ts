import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { openEmbeddedReadStore } from '../../../src/stores/embedded/embeddedReadStore.ts'
import { openDatabase } from '../../../src/stores/embedded/sqlite.ts'
import type { Checkpoint, Collection } from '../../../src/stores/readStore.ts'
import { commitTo } from '../../projections/memoryReadStore.ts'
import { readStoreContract } from '../readStore.contract.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder()
})

readStoreContract('embedded', async (nowMs) => openEmbeddedReadStore({ folder, nowMs }))

describe('the file of the embedded read store', () => {
  const rules: Collection = { name: 'rules', version: 1, indexes: [['account']] }
  const checkpoint: Checkpoint = {
    projection: 'rules',
    version: 1,
    position: 1,
    ready: true,
    collections: ['rules'],
  }
  const views = () => join(folder, 'views.db')

  const change = (index: number) => ({
    collection: rules,
    id: `r${index}`,
    position: 1,
    body: { account: 'a', text: 'x'.repeat(200) },
  })

  async function fill(): Promise<void> {
    const store = openEmbeddedReadStore({ folder })
    await store.prepare([rules])
    const changes = Array.from({ length: 400 }, (_, index) => change(index))
    await commitTo(store, changes, checkpoint)
    await store.close()
  }

  async function reopened(): Promise<{ rebuilt: readonly string[]; checkpoints: number }> {
    const rebuilt: string[] = []
    const store = openEmbeddedReadStore({ folder, onRebuild: (reason) => rebuilt.push(reason) })
    const found = await store.checkpoints()
    await store.close()
    return { rebuilt, checkpoints: found.length }
  }

  test('what was committed is there after closing and opening', async () => {
    await fill()

    expect(await reopened()).toEqual({ rebuilt: [], checkpoints: 1 })
  })

  test('what was committed is there when the process ended without closing', async () => {
    const left = openEmbeddedReadStore({ folder })
    await commitTo(left, [], checkpoint)

    const copy = temporaryFolder()
    for (const suffix of ['', '-wal']) {
      writeFileSync(join(copy, `views.db${suffix}`), readFileSync(views() + suffix))
    }
    await left.close()

    const store = openEmbeddedReadStore({ folder: copy })
    expect(await store.checkpoints()).toEqual([checkpoint])
    await store.close()
  })

  test('a file that is no database is made anew and this is said', async () => {
    writeFileSync(
      views(),
      'not a database, but long enough to be read as the header of one'.repeat(20),
    )

    const { rebuilt, checkpoints } = await reopened()

    expect(rebuilt).toEqual([expect.stringMatching(/views\.db is damaged.*built again/)])
    expect(checkpoints).toBe(0)
  })

  test('a file of another format is made anew and this is said', async () => {
    await fill()
    const database = openDatabase({ file: views(), synchronous: 'NORMAL' })
    database.exec('PRAGMA user_version = 99')
    database.close()

    const { rebuilt, checkpoints } = await reopened()

    expect(rebuilt).toEqual([expect.stringMatching(/has format 99, not 4.*built again/)])
    expect(checkpoints).toBe(0)
  })

  const use = async (store: ReturnType<typeof openEmbeddedReadStore>): Promise<number> => {
    await store.prepare([rules])
    await commitTo(store, [change(1)], { ...checkpoint, position: 3 })
    return (await store.find(rules, { where: { account: 'a' }, limit: 1_000 })).length
  }

  /** Bytes of the header that matter: what the file is, how it is written, its sizes, its free pages, its format. */
  const headerBytes = [0, 15, 16, 18, 19, 20, 21, 23, 28, 31, 36, 39, 47, 52, 55, 59, 60, 63]
  test.each([false, true])(
    'given a damaged byte in the header, when it is opened and used twice, then at the latest the second time is as ever; with a log: %s',
    async (hasLog) => {
      await fill()
      const left = openEmbeddedReadStore({ folder })
      await commitTo(left, [change(1_000)], { ...checkpoint, position: 2 })
      const log = readFileSync(`${views()}-wal`)
      await left.close()
      const saved = readFileSync(views())

      for (const at of headerBytes) {
        const damaged = Buffer.from(saved)
        damaged.writeUInt8(damaged.readUInt8(at) ^ 0xff, at)
        for (const suffix of ['-wal', '-shm']) rmSync(`${views()}${suffix}`, { force: true })
        writeFileSync(views(), damaged)
        if (hasLog) writeFileSync(`${views()}-wal`, log)

        const first = openEmbeddedReadStore({ folder })
        await use(first).catch((error: unknown) => expect(error).toMatchObject({ isDamage: true }))
        await first.close().catch(() => undefined)
        const second = openEmbeddedReadStore({ folder })
        const count = await use(second)
        await second.close()

        // whole, or made anew
        expect([at, [1, 400, 401].includes(count)]).toEqual([at, true])
      }
    },
  )

  test.each([0, 18, 47])(
    'a file with a damaged byte %i is made anew and this is said',
    async (at) => {
      await fill()
      const bytes = readFileSync(views())
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
      writeFileSync(views(), bytes)

      const { rebuilt, checkpoints } = await reopened()

      expect(rebuilt).toEqual([expect.stringMatching(/views\.db is damaged.*built again/)])
      expect(checkpoints).toBe(0)
    },
  )

  test('a file of ours that has lost its format is made anew and this is said', async () => {
    await fill()
    const database = openDatabase({ file: views(), synchronous: 'NORMAL' })
    database.exec('PRAGMA user_version = 0')
    database.close()

    expect(await reopened()).toMatchObject({ rebuilt: [expect.any(String)], checkpoints: 0 })
  })

  test.each([16, 100, 4096])('a file with %i zeroed bytes in front is made anew', async (count) => {
    await fill()
    const bytes = readFileSync(views())
    writeFileSync(views(), bytes.fill(0, 0, count))

    const { rebuilt, checkpoints } = await reopened()

    expect(rebuilt).toEqual([expect.stringMatching(/views\.db is damaged.*built again/)])
    expect(checkpoints).toBe(0)
  })

  test.each(['reading', 'writing'])(
    'damage met while %s is mended by the next start, which says so once',
    async (how) => {
      await fill()
      const bytes = readFileSync(views())
      // the header says that many pages are free
      writeFileSync(views(), bytes.fill(0xab, 12 * 4096).fill(0x7f, 36, 40))
      const damaged = openEmbeddedReadStore({ folder, readOnly: how === 'reading' })
      const used =
        how === 'reading'
          ? damaged.find(rules, { where: { account: 'a' }, limit: 1_000 })
          : commitTo(
              damaged,
              Array.from({ length: 500 }, (_, at) => change(1_000 + at)),
              checkpoint,
            )
      await expect(used).rejects.toMatchObject({ isDamage: true })
      await damaged.close().catch(() => undefined)

      const first = await reopened()
      const second = await reopened()

      expect(first.rebuilt).toEqual([expect.stringMatching(/views\.db was damaged.*built again/)])
      expect(second.rebuilt).toEqual([])
    },
  )

  test('damage met while reading is a failure that says what mends it', async () => {
    await fill()
    const bytes = readFileSync(views())
    writeFileSync(views(), bytes.fill(0xab, 12 * 4096))
    const damaged = openEmbeddedReadStore({ folder, readOnly: true })

    const reading = damaged.find(rules, { where: { account: 'a' }, limit: 1_000 })

    await expect(reading).rejects.toMatchObject({
      code: 'unavailable',
      isDamage: true,
      cause: {
        message: expect.stringMatching(/views\.db: the file is damaged; .* the next start builds/),
      },
    })
    await damaged.close()
  })

  test('a document that is no text of JSON any more is damage too', async () => {
    await fill()
    const database = openDatabase({ file: views(), synchronous: 'NORMAL' })
    database.exec(`UPDATE c_rules_1 SET body = replace(body, '{', '[') WHERE id = 'r7'`)
    database.close()
    const damaged = openEmbeddedReadStore({ folder, readOnly: true })

    await expect(damaged.get(rules, 'r7')).rejects.toMatchObject({ isDamage: true })
    await damaged.close()
  })

  test('a database of something else is refused and kept', async () => {
    const database = openDatabase({ file: views(), synchronous: 'NORMAL' })
    database.exec('CREATE TABLE mine (x)')
    database.close()

    expect(() => openEmbeddedReadStore({ folder })).toThrow(/something else/)
    expect(existsSync(views())).toBe(true)
  })

  test('a reader sees each commit whole while the writer goes on', async () => {
    await fill()
    const writer = openEmbeddedReadStore({ folder })
    const reader = openEmbeddedReadStore({ folder, readOnly: true })

    await commitTo(writer, [{ collection: rules, id: 'r0', position: 2, body: { account: 'b' } }], {
      ...checkpoint,
      position: 2,
    })

    expect(await reader.get(rules, 'r0')).toMatchObject({ position: 2 })
    expect(await reader.checkpoints()).toMatchObject([{ position: 2 }])
    await reader.close()
    await writer.close()
  })

  test('a reader cannot write, and needs a file', async () => {
    expect(() => openEmbeddedReadStore({ folder, readOnly: true })).toThrow(/views\.db/)
    await fill()
    const reader = openEmbeddedReadStore({ folder, readOnly: true })

    await expect(commitTo(reader, [], checkpoint)).rejects.toThrow()

    await reader.close()
  })

  test('a commit that fails half-way leaves nothing', async () => {
    const store = openEmbeddedReadStore({ folder })
    await store.prepare([rules])
    const missing: Collection = { name: 'missing', version: 1, indexes: [] }

    const commit = commitTo(
      store,
      [
        { collection: rules, id: 'r1', position: 1, body: { account: 'a' } },
        { collection: missing, id: 'm1', position: 1, body: {} },
      ],
      checkpoint,
    )

    await expect(commit).rejects.toThrow()
    expect(await store.get(rules, 'r1')).toBeUndefined()
    expect(await store.checkpoints()).toEqual([])
    await store.close()
  })

  test('an indexed field holds text, a number or a bool', async () => {
    const store = openEmbeddedReadStore({ folder })
    await store.prepare([rules])

    const commit = commitTo(
      store,
      [{ collection: rules, id: 'r1', position: 1, body: { account: ['a'] } }],
      checkpoint,
    )

    await expect(commit).rejects.toThrow(/indexed field/)
    await store.close()
  })
})

function indexesOfRules(): readonly unknown[] {
  const database = openDatabase({
    file: join(folder, 'views.db'),
    synchronous: 'NORMAL',
    readOnly: true,
  })
  const found = database
    .prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'c!_rules!_1!__' ESCAPE '!'")
    .all()
  database.close()
  return found.map(({ name }) => name)
}

test('whoever stops leaves the indexes that are not begun, and the next makes them', async () => {
  const indexes = [['account'], ['time'], ['kind']]
  const rules: Collection = { name: 'rules', version: 1, indexes }
  const store = openEmbeddedReadStore({ folder })
  await store.prepare([rules])
  const body = { account: 'a', time: 1, kind: 'k' }
  await commitTo(store, [{ collection: rules, id: 'r1', position: 1, body }], {
    projection: 'rules',
    version: 1,
    position: 1,
    ready: false,
    collections: ['rules'],
  })
  const stop = new AbortController()
  // in the turn after the first is made
  setImmediate(() => stop.abort())

  const whenStopped = await store.completeIndexes([rules], stop.signal)

  expect([whenStopped, indexesOfRules()]).toEqual([false, ['c_rules_1_0']])
  expect(await store.completeIndexes([rules], stop.signal)).toBe(false)
  expect(await store.completeIndexes([rules], new AbortController().signal)).toBe(true)
  expect(indexesOfRules()).toEqual(['c_rules_1_0', 'c_rules_1_1', 'c_rules_1_2'])
  expect(await store.completeIndexes([rules], stop.signal)).toBe(true)
  await store.close()
})
