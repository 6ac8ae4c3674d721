import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { evaluationStream } from '../../../src/events/evaluation/evaluationEvents.ts'
import { checkReadiness } from '../../../src/queries/operations/readiness.ts'
import {
  openEmbeddedKeyStore,
  openKeyRecords,
} from '../../../src/stores/embedded/embeddedKeyStore.ts'
import { openLogReader } from '../../../src/stores/embedded/logReader.ts'
import { openDatabase } from '../../../src/stores/embedded/sqlite.ts'
import type { KeyStore } from '../../../src/stores/keyStore.ts'
import { makeBackup, restoreBackup } from '../../../src/stores/transfer/backup.ts'
import { crashedCopy } from '../../support/crashedCopy.ts'
import { eventually } from '../../support/eventually.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../../support/openVigil.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const { renameSync: actualRename } = await vi.importActual<typeof import('node:fs')>('node:fs')
vi.mock(import('node:fs'), async (original) => {
  const actual = await original()
  return { ...actual, renameSync: vi.fn(actual.renameSync) }
})

const clock = { nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5) }
const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
const long = { signal: new AbortController().signal, onProgress: () => undefined }

let vigil: Vigil
let shop: Customer
let flow = ''

beforeEach(async () => {
  vigil = await openVigil()
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('signal.existing_user')
})

afterEach(() => vigil.close().catch(() => undefined))

const evaluate = async (phone_number: string): Promise<string> =>
  String((await shop.evaluate(flow, { target: { phone_number } })).body['id'])

interface Changed {
  readonly withMasterKey?: boolean
  readonly target?: string
  readonly dataFolder?: string
  readonly onProgress?: (step: string, done: number, of: number) => void
  readonly signal?: AbortSignal
}

const backUp = (changed: Changed = {}) =>
  makeBackup({
    ...long,
    ...{ dataFolder: vigil.folder, target: join(temporaryFolder(), 'backup'), clock },
    withMasterKey: false,
    ...changed,
  })

const restore = (backup: string, folder: string, acceptLoss = false) =>
  restoreBackup({ ...long, backup, dataFolder: folder, acceptLoss, clock, random })

const masterKeyOf = (folder: string): Uint8Array =>
  Buffer.from(readFileSync(join(folder, 'master.key'), 'utf8').trim(), 'hex')

async function openOn(folder: string): Promise<Vigil> {
  return openVigil({ folder })
}

const ask = (opened: Vigil, method: string, path: string) =>
  opened.door.request<Record<string, unknown>>(method, path, { token: shop.token })

const statusOf = async (opened: Vigil, id: string): Promise<number> =>
  (await ask(opened, 'GET', `/v2/watch/evaluations/${id}`)).status

const replayOf = async (opened: Vigil, id: string): Promise<unknown> =>
  (await ask(opened, 'POST', `/v2/watch/evaluations/${id}/replay`)).body['result']

const phoneOn = async (opened: Vigil, id: string): Promise<string> =>
  (await ask(opened, 'GET', `/v2/watch/evaluations/${id}`)).text

function keysOf(folder: string): KeyStore {
  return openEmbeddedKeyStore({ folder, masterKey: masterKeyOf(folder), clock, random })
}

/** What an erasure does to the keys. */
async function destroyKeysOf(folder: string, evaluation: string): Promise<void> {
  const log = openLogReader(join(folder, 'log.db'))
  const [last] = log.readTail(1, evaluationStream(evaluation))
  log.close()
  const { subjects } = JSON.parse(last?.metadata ?? '') as { subjects: { key: string }[] }
  const keys = keysOf(folder)
  await keys.destroy(
    subjects.map(({ key }) => key),
    clock.nowMs(),
  )
  await keys.close()
}

async function addKey(folder: string): Promise<void> {
  const keys = keysOf(folder)
  await keys.make(1)
  await keys.close()
}

async function keyCount(folder: string): Promise<number> {
  const keys = openKeyRecords(join(folder, 'keys.db'))
  const count = await keys.size()
  keys.close()
  return count
}

/** Keys that the log of a backup names and its keys lack. */
async function lackingKeysIn(backup: string): Promise<readonly string[]> {
  const log = openLogReader(join(backup, 'log.db'))
  const named = log.readAll({ after: 0, limit: 10_000 }).flatMap(({ metadata }) => {
    const { subjects = [] } = JSON.parse(metadata) as { subjects?: { key: string }[] }
    return subjects.map(({ key }) => key)
  })
  log.close()
  const keys = openKeyRecords(join(backup, 'keys.db'))
  const known = new Set((await keys.lookUp(named)).map(({ id }) => id))
  keys.close()
  expect(named.length).toBeGreaterThan(0)
  return named.filter((id) => !known.has(id))
}

describe('a backup of a service that runs', () => {
  test('given verdicts, when it is backed up and laid out elsewhere, then they are there and replay alike', async () => {
    const id = await evaluate('+33612345678')
    const { backup, manifest, masterKey } = await backUp()
    const folder = temporaryFolder()

    const restored = await restore(backup, folder)

    expect(masterKey).toBe('in the data folder')
    expect(restored).toMatchObject({ lack: undefined, laidOut: {} })
    writeFileSync(join(folder, 'master.key'), readFileSync(join(vigil.folder, 'master.key')))
    const opened = await openOn(folder)
    await eventually(async () => (await checkReadiness(opened.service.context)).ready)
    expect(manifest.log.position).toBeGreaterThan(0)
    expect((await ask(opened, 'GET', `/v2/watch/evaluations/${id}`)).body).toMatchObject({
      evidence: expect.objectContaining({}),
      verdict: 'PASS',
    })
    expect((await ask(opened, 'GET', `/v2/watch/evaluations/${id}`)).text).toContain('+33612345678')
    expect(await replayOf(opened, id)).toBe('MATCH')
    await opened.stop()
  })

  test('given writes all the time, when it is backed up, then the copy is whole up to its end, and the service goes on', async () => {
    const done = new AbortController()
    const ids: string[] = []
    const writing = (async () => {
      for (let count = 10; !done.signal.aborted; count += 1) {
        ids.push(await evaluate(`+336123456${count % 90}`))
      }
    })()
    while (ids.length < 20) await new Promise((resolve) => setTimeout(resolve, 5))

    const first = await backUp({ withMasterKey: true })
    const between = ids.length
    while (ids.length < between + 5) await new Promise((resolve) => setTimeout(resolve, 5))
    const second = await backUp({ withMasterKey: true })
    done.abort()
    await writing

    expect(second.manifest.log.position).toBeGreaterThan(first.manifest.log.position ?? 0)
    for (const { backup } of [first, second]) {
      expect(await lackingKeysIn(backup)).toEqual([])
      const folder = temporaryFolder()
      expect((await restore(backup, folder)).lack).toBeUndefined()
      const opened = await openOn(folder)
      expect(await replayOf(opened, ids[0] ?? '')).toBe('MATCH')
      await opened.stop()
    }
  })

  test('given a backup, when it is looked at, then nobody else may read it, and the master key is not in it unless asked', async () => {
    const apart = await backUp()
    const together = await backUp({ withMasterKey: true })

    expect(readdirSync(apart.backup).toSorted()).toEqual(['backup.json', 'keys.db', 'log.db'])
    expect(readdirSync(together.backup)).toContain('master.key')
    expect(statSync(apart.backup).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(together.backup)) {
      expect(statSync(join(together.backup, name)).mode & 0o777).toBe(0o600)
    }
  })
})

describe('what a backup refuses', () => {
  test.each([
    ['a target that exists', () => ({ target: temporaryFolder() }), 'exists already'],
    ['a target in no folder', () => ({ target: '/nowhere/at/all' }), '/nowhere/at/all'],
    ['no data', () => ({ dataFolder: temporaryFolder() }), 'There is no data of Vigil'],
  ])('given %s, then it says what to do', async (_, changed, words) => {
    await expect(backUp(changed())).rejects.toThrow(words)
  })

  test('given an interruption at any step, then nothing is left, and the next one succeeds', async () => {
    const target = join(temporaryFolder(), 'backup')
    const steps = new Set<string>()
    await backUp({ onProgress: (step) => steps.add(step) })
    expect([...steps]).toEqual([
      'Copying events',
      'Copying keys',
      'Comparing events',
      'Comparing keys',
    ])
    for (const wanted of steps) {
      const stop = new AbortController()
      const onProgress = (step: string) => {
        if (step === wanted) stop.abort(new Error(`interrupted at ${step}`))
      }
      await expect(backUp({ target, onProgress, signal: stop.signal })).rejects.toThrow()
      expect(existsSync(target)).toBe(false)
      expect(existsSync(`${target}.partial`)).toBe(false)
    }

    expect((await backUp({ target })).backup).toBe(target)
  })

  test('given a log that has lost its end, then no backup is made', async () => {
    const folder = crashedCopy(vigil.folder)
    rmSync(join(folder, 'log.db-wal'))

    await expect(backUp({ dataFolder: folder })).rejects.toThrow(
      `Cannot use ${join(folder, 'log.db')}: it is empty or gone`,
    )
    rmSync(folder, { recursive: true })
  })

  test.each(['log.db', 'keys.db'])(
    'given %s of a newer version, then no backup is made',
    async (name) => {
      const folder = crashedCopy(vigil.folder)
      const database = openDatabase({ file: join(folder, name), synchronous: 'FULL' })
      database.exec('PRAGMA user_version = 99')
      database.close()

      const words = `Cannot use ${join(folder, name)}: a newer version of the program wrote it`
      await expect(backUp({ dataFolder: folder })).rejects.toThrow(words)
      rmSync(folder, { recursive: true })
    },
  )

  test('given an event that is damaged, then no backup is made', async () => {
    const folder = crashedCopy(vigil.folder)
    const log = openDatabase({ file: join(folder, 'log.db'), synchronous: 'FULL' })
    log.exec("UPDATE events SET data = '{}' WHERE position = 3")
    log.close()

    await expect(backUp({ dataFolder: folder })).rejects.toThrow('position 3 has changed')
    rmSync(folder, { recursive: true })
  })
})

describe('laying a backup out', () => {
  /** Changes a byte of the first event or key, wherever a page has it. */
  const flip = (file: string, sql: string) => {
    const copy = join(temporaryFolder(), 'copy.db')
    copyFileSync(file, copy)
    const database = openDatabase({ file: copy, synchronous: 'FULL' })
    const value = Buffer.from(database.prepare(sql).get()?.['value'] as string | Uint8Array)
    database.close()
    const bytes = readFileSync(file)
    for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value)) {
      bytes[at] = (bytes[at] ?? 0) ^ 1
    }
    writeFileSync(file, bytes)
  }

  test.each([
    ['log.db', 'SELECT data AS value FROM events'],
    ['keys.db', 'SELECT wrapped AS value FROM keys'],
  ])(
    'given a byte of %s changed, then it is refused by name, and nothing was changed',
    async (name, sql) => {
      const { backup } = await backUp({ withMasterKey: true })
      flip(join(backup, name), sql)
      const folder = temporaryFolder()

      await expect(restore(backup, folder)).rejects.toThrow(join(backup, name))
      expect(existsSync(join(folder, 'log.db'))).toBe(false)
      expect(existsSync(join(folder, 'keys.db'))).toBe(false)
    },
  )

  test.each(['log.db', 'keys.db'])(
    'given nothing in %s, then it is refused by name',
    async (name) => {
      const { backup } = await backUp()
      writeFileSync(join(backup, name), '')

      const words = `Cannot use ${join(backup, name)}: it is empty`
      await expect(restore(backup, temporaryFolder())).rejects.toThrow(words)
    },
  )

  test('given a folder that is no backup, then it says so', async () => {
    await expect(restore(temporaryFolder(), temporaryFolder())).rejects.toThrow('is no backup')
  })

  test('given a service in use, then it is refused', async () => {
    const { backup } = await backUp({ withMasterKey: true })

    await expect(restore(backup, vigil.folder)).rejects.toThrow('another process is using it')
  })

  test('given newer events, then they are counted and nothing is changed, until giving them up was said to be meant', async () => {
    const old = await evaluate('+33612345678')
    const { backup } = await backUp()
    const lost = await evaluate('+33612345679')
    await vigil.stop()
    const { folder } = vigil
    const before = readFileSync(join(folder, 'log.db'))

    const looked = await restore(backup, folder)
    expect(looked.lack).toMatch(/it ends at position \d+, but by .*stores\.witness.* are missing$/)
    expect(looked.laidOut).toBeUndefined()
    expect(readFileSync(join(folder, 'log.db')).equals(before)).toBe(true)

    const restored = await restore(backup, folder, true)
    expect(restored.laidOut).toMatchObject({ recorded_at: expect.any(String) })
    expect(readdirSync(restored.laidOut?.replaced ?? '')).toContain('log.db')

    const opened = await openOn(folder)
    expect(await statusOf(opened, old)).toBe(200)
    expect(await statusOf(opened, lost)).toBe(404)
    expect(await replayOf(opened, old)).toBe('MATCH')
    expect((await ask(opened, 'GET', '/v2/watch/losses')).body['losses']).toHaveLength(1)
    await opened.stop()
  })

  test('given a person erased since the backup, when it is restored over what stood there, then they stay erased, and newer keys are kept', async () => {
    const id = await evaluate('+33612345678')
    const { backup } = await backUp()
    expect(await phoneOn(vigil, id)).toContain('+33612345678')
    await vigil.stop()
    const { folder } = vigil
    await destroyKeysOf(folder, id)
    await addKey(folder)

    await restore(backup, folder, true)

    expect(await keyCount(folder)).toBeGreaterThan(await keyCount(backup))
    const opened = await openOn(folder)
    expect(await phoneOn(opened, id)).toContain('forgotten')
    await opened.stop()
  })

  test('given the log of another installation in the folder, then that is said, and nothing is changed', async () => {
    const { backup } = await backUp({ withMasterKey: true })
    const other = await openVigil()
    await openCustomer(other)
    await openCustomer(other)
    await other.stop()

    const { lack, laidOut } = await restore(backup, other.folder)

    expect(lack).toMatch(/it is not the log that|are missing/)
    expect(laidOut).toBeUndefined()
    await other.close().catch(() => undefined)
  })

  test('given a damaged log, then what its witnesses knew of is counted, and a restore that was meant starts', async () => {
    const { backup } = await backUp()
    await evaluate('+33612345679')
    await vigil.stop()
    const { folder } = vigil
    writeFileSync(join(folder, 'log.db'), 'no database at all '.repeat(300))

    const looked = await restore(backup, folder)
    expect(looked.lack).toMatch(/it ends at position \d+, .*are missing$/)
    const restored = await restore(backup, folder, true)

    expect(restored.laidOut).toMatchObject({ recorded_at: expect.any(String) })
    const opened = await openOn(folder)
    await opened.stop()
  })

  test('given a restore that ends at any rename, then no service starts on half of it, and the same command brings it to its end and nobody back who was erased', async () => {
    const old = await evaluate('+33612345678')
    const { backup } = await backUp({ withMasterKey: true })
    const lost = await evaluate('+33612345678')
    await vigil.stop()
    await destroyKeysOf(vigil.folder, lost)
    for (let renames = 1; ; renames += 1) {
      const folder = crashedCopy(vigil.folder)
      let renamed = 0
      vi.mocked(renameSync).mockImplementation((...paths) => {
        renamed += 1
        if (renamed === renames) throw new Error('killed')
        actualRename(...paths)
      })
      const ended = await restore(backup, folder, true).catch((error: unknown) => error)
      vi.mocked(renameSync).mockImplementation(actualRename)
      const started = await openOn(folder).catch((error: Error) => error.message)
      if (typeof started === 'string') expect(started).toContain(`Cannot use ${folder}`)
      else {
        // all of what stood there, or all that the backup has, with what was given up on record
        const { losses } = (await ask(started, 'GET', '/v2/watch/losses')).body
        expect(await statusOf(started, old)).toBe(200)
        expect(await statusOf(started, lost)).toBe((losses as unknown[]).length > 0 ? 404 : 200)
        await started.stop()
      }
      if (renamed < renames) {
        expect(renames).toBeGreaterThan(6)
        break
      }
      expect(ended).toMatchObject({ message: expect.stringContaining('killed') })
      await restore(backup, folder, true)
      const opened = await openOn(folder)
      expect(await phoneOn(opened, old)).toContain('forgotten')
      expect(await statusOf(opened, lost)).toBe(404)
      await opened.stop()
      rmSync(folder, { recursive: true })
    }
  })

  test('given a backup of the very end, then nothing is missing, and it is laid out at once', async () => {
    const id = await evaluate('+33612345678')
    await vigil.stop()
    const { backup } = await backUp()
    const { folder } = vigil
    rmSync(join(folder, 'log.db'))

    const restored = await restore(backup, folder)

    expect(restored.lack).toBeUndefined()
    const opened = await openOn(folder)
    expect(await statusOf(opened, id)).toBe(200)
    await opened.stop()
  })
})
