import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { sampleOf } from '../metrics/exposition.ts'
import { eventually } from '../support/eventually.ts'
import { operatorToken } from '../support/openVigil.ts'
import { evaluate, openRunningShop, type RunningShop, send } from '../support/runningShop.ts'
import { runVigil, type StartedVigil, startVigil } from '../support/startedVigil.ts'

const env = { VIGIL_OPERATOR_TOKEN: operatorToken }
const root = mkdtempSync(join(tmpdir(), 'vigil-'))
const pageBytes = 4096
const paths: string[] = []
let shop: RunningShop

/** A service that was stopped after some evaluations. */
beforeAll(async () => {
  const vigil = await startVigil(join(root, 'stopped'), env)
  shop = await openRunningShop(vigil)
  for (let number = 0; number < 40; number += 1) {
    paths.push((await evaluate(vigil, shop, number)).path)
  }
  expect(await vigil.stop('SIGTERM')).toBe(0)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

function copyOf(from: string, name: string): string {
  const folder = join(root, name)
  cpSync(join(root, from), folder, { recursive: true })
  return folder
}

/** Overwrites the pages of the file, but for its first one, of which this is true. */
function garble(file: string, isMeant: (page: Buffer) => boolean = () => true): void {
  const bytes = readFileSync(file)
  for (let at = pageBytes; at < bytes.length; at += pageBytes) {
    const page = bytes.subarray(at, at + pageBytes)
    if (isMeant(page)) page.fill(0xa5)
  }
  writeFileSync(file, bytes)
}

async function ready(vigil: StartedVigil) {
  const { status, text } = await send(vigil, ['GET', '/health/ready'], { token: '' })
  return { status, stores: (JSON.parse(text) as { readonly stores: object }).stores }
}

const isReady = (vigil: StartedVigil) => eventually(async () => (await ready(vigil)).status === 200)

const read = (vigil: StartedVigil, path: string) =>
  send(vigil, ['GET', path], { token: shop.token })

async function damagesCounted(vigil: StartedVigil, store: string): Promise<number | undefined> {
  const { text } = await send(vigil, ['GET', '/metrics'], { token: operatorToken })
  return sampleOf(text, 'vigil_store_damaged_total', { store })
}

/** The lines of the log at level `error` that say what is damaged. */
const damagesIn = (vigil: StartedVigil) =>
  vigil
    .printed()
    .split('\n')
    .filter((line) => line.includes('"level":50') && line.includes('is damaged'))

test('given keys.db cut after a kill while its -wal file is whole, when started, then it refuses by name and changes neither', async () => {
  const folder = copyOf('stopped', 'cut')
  for (let start = 0; start < 2; start += 1) {
    await (await startVigil(folder, env)).stop('SIGKILL')
  }
  const keys = join(folder, 'keys.db')
  truncateSync(keys, Math.floor(statSync(keys).size / 2 / pageBytes) * pageBytes)
  const before = [keys, `${keys}-wal`].map((file) => readFileSync(file))

  const { code, printed } = await runVigil(folder, env)

  expect(before[1]?.length).toBeGreaterThan(100_000)
  expect(code).toBe(1)
  expect(printed).toContain(`Cannot use ${keys}: the file is damaged`)
  expect(
    [keys, `${keys}-wal`]
      .map((file) => readFileSync(file))
      .every((bytes, at) => before[at]?.equals(bytes)),
  ).toBe(true)
})

test('given keys.db damaged while the service runs, when a record needs a key, then the caller, readiness and one line of the log say so', async () => {
  const folder = copyOf('stopped', 'keys-in-use')
  const vigil = await startVigil(folder, env)
  await isReady(vigil)
  garble(join(folder, 'keys.db'))

  const answers = [await read(vigil, paths[0] ?? ''), await read(vigil, paths[1] ?? '')]

  expect(answers.map(({ status }) => status)).toEqual([503, 503])
  expect(answers[0]?.text).toContain('The key store is damaged')
  expect(await ready(vigil)).toMatchObject({
    status: 503,
    stores: { events: 'ok', documents: 'ok', keys: 'failing' },
  })
  expect(await damagesCounted(vigil, 'keys')).toBeGreaterThan(0)
  expect(await damagesCounted(vigil, 'events')).toBe(0)
  await vigil.stop('SIGTERM')
  const lines = damagesIn(vigil).filter((line) => line.includes('"kind":"damage"'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(join(folder, 'keys.db'))
})

test('given views.db damaged while the service runs, when a list is read, then readiness and the log say so until the next start builds it again', async () => {
  const folder = copyOf('stopped', 'views')
  const views = join(folder, 'views.db')
  const vigil = await startVigil(folder, env)
  await isReady(vigil)
  garble(views, (page) => page.includes('evl_'))

  const list = await read(vigil, '/v2/watch/evaluations?limit=100')

  expect(await ready(vigil)).toMatchObject({
    status: 503,
    stores: { events: 'ok', documents: 'failing', keys: 'ok' },
  })
  expect(list.status).toBe(503)
  expect(list.text).toContain('The read store is damaged')
  expect(await damagesCounted(vigil, 'documents')).toBeGreaterThan(0)
  await vigil.stop('SIGTERM')
  const lines = damagesIn(vigil).filter((line) => line.includes('"kind":"damage"'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(views)
  expect(lines[0]).toContain('the next start builds it anew')
  const mended = await startVigil(folder, env)
  await isReady(mended)
  expect(await read(mended, '/v2/watch/evaluations?limit=100')).toMatchObject({ status: 200 })
  expect(await mended.stop('SIGTERM')).toBe(0)
})

test('given an event of log.db damaged while the service runs, when it is read, then one line of the log says where, and everything else goes on', async () => {
  const folder = copyOf('stopped', 'log-in-use')
  const log = join(folder, 'log.db')
  const vigil = await startVigil(folder, env)
  await isReady(vigil)
  const [old = '', other = ''] = paths
  flipEvent(log, `evaluation-${old.split('/').at(-1)}`)
  const next = await evaluate(vigil, shop, 100)

  const answers = [await read(vigil, old), await read(vigil, old)]

  expect(answers.map(({ status }) => status)).toEqual([503, 503])
  expect(answers[0]?.text).toContain('The event log is damaged')
  expect(await ready(vigil)).toMatchObject({ status: 200, stores: { events: 'ok' } })
  expect(await damagesCounted(vigil, 'events')).toBe(2)
  expect(await read(vigil, other)).toMatchObject({ status: 200 })
  expect(await read(vigil, next.path)).toMatchObject({ status: 200 })
  await vigil.stop('SIGTERM')
  const lines = damagesIn(vigil).filter((line) => line.includes('"kind":"damage"'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(log)
  expect(lines[0]).toMatch(/the event at position \d+ has changed/)
})

test('given an entry of the index of log.db changed while the service was down, when started, then readiness fails with the name of the file', async () => {
  const folder = copyOf('stopped', 'index')
  const log = join(folder, 'log.db')
  changeIndexEntry(log, `evaluation-${paths[0]?.split('/').at(-1)}`)

  const vigil = await startVigil(folder, env)

  await eventually(async () => (await ready(vigil)).status === 503)
  expect(await ready(vigil)).toMatchObject({ stores: { events: 'failing', keys: 'ok' } })
  await vigil.stop('SIGTERM')
  expect(vigil.printed()).toContain(`${log} is damaged, in its table events`)
})

/** Changes a byte in the file of the first event of the stream. */
function flipEvent(file: string, stream: string): void {
  const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })
  const row = database.prepare('SELECT data FROM events WHERE stream = ?').get(stream)
  database.close()
  const bytes = readFileSync(file)
  const at = bytes.indexOf(String(row?.['data']).slice(0, 500))
  if (at < 0) throw new Error(`the event of ${stream} is not in one piece`)
  bytes[at + 300] = (bytes[at + 300] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

/**
 * Changes a byte of the stream's name in the index; unused parts of pages have the name as well, and events, which are
 * not changed.
 */
function changeIndexEntry(file: string, stream: string): void {
  const bytes = readFileSync(file)
  for (let at = bytes.indexOf(stream); at >= 0; at = bytes.indexOf(stream, at + 1)) {
    const end = at + stream.length
    const isEvent = /^.{0,1}[0-9a-f]{8}-/s.test(bytes.toString('latin1', end, end + 10))
    if (isEvent) continue
    const last = bytes[end - 1] ?? 0
    bytes.write('x', end - 1)
    writeFileSync(file, bytes)
    if (isDamaged(file)) return
    bytes[end - 1] = last
  }
  throw new Error(`the index has no ${stream}`)
}

function isDamaged(file: string): boolean {
  const database = openDatabase({ file, synchronous: 'FULL', readOnly: true })
  const found = database.prepare('PRAGMA integrity_check').get()
  database.close()
  return found?.['integrity_check'] !== 'ok'
}
