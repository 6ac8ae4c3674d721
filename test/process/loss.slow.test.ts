import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { operatorToken } from '../support/openVigil.ts'
import {
  evaluate,
  keepSending,
  openRunningShop,
  type RunningShop,
  send,
} from '../support/runningShop.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'

const env = { VIGIL_OPERATOR_TOKEN: operatorToken }
const root = mkdtempSync(join(tmpdir(), 'vigil-'))
const answered = new Map<string, string>()
let shop: RunningShop

/** A service killed under load. */
beforeAll(async () => {
  const folder = join(root, 'crashed')
  const first = await startVigil(folder, env)
  shop = await openRunningShop(first)
  // what an older copy is made of: some of it was answered, and much came after
  answered.set(...pair(await evaluate(first, shop, 1_000)))
  expect(await first.stop('SIGTERM')).toBe(0)
  cpSync(folder, join(root, 'older'), { recursive: true })
  const vigil = await startVigil(folder, env)
  let number = 0
  const judge = () => {
    number += 1
    return evaluate(vigil, shop, number)
  }
  // the read models alone have to prove that something came after the stop
  answered.set(...pair(await judge()))
  await eventually(async () => {
    const listed = await send(vigil, ['GET', '/v2/watch/evaluations'], { token: shop.token })
    return (JSON.parse(listed.text) as { evaluations: unknown[] }).evaluations.length > 0
  })
  const work = Array.from({ length: 8 }, () => keepSending(judge, answered))
  await eventually(() => answered.size >= 60)
  await vigil.stop('SIGKILL')
  await Promise.all(work)
})

const pair = ({ path, body }: { readonly path: string; readonly body: string }) =>
  [path, body] as const

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A copy of what the kill has left. */
function copyOf(name: string): string {
  const folder = join(root, name.replaceAll(/\W+/g, '-'))
  cpSync(join(root, 'crashed'), folder, { recursive: true })
  return folder
}

function cut(file: string, bytes: number): void {
  truncateSync(file, statSync(file).size - bytes)
}

function flip(file: string, part: number): void {
  const bytes = readFileSync(file)
  const at = Math.floor(bytes.length * part)
  bytes[at] = (bytes[at] ?? 0) ^ 0x55
  writeFileSync(file, bytes)
}

const remove = (folder: string, ...names: readonly string[]): void => {
  for (const name of names) rmSync(join(folder, name), { force: true })
}

/** The database with what SQLite keeps beside it, or its write-ahead log alone. */
const files = ['log.db', 'log.db-wal', 'keys.db', 'keys.db-wal', 'views.db', 'views.db-wal']

const withBesides = (name: string): readonly string[] =>
  name.endsWith('-wal') ? [name] : [name, `${name}-wal`, `${name}-shm`]

function putOlder(folder: string, name: string): void {
  remove(folder, ...withBesides(name))
  for (const one of withBesides(name)) {
    const older = join(root, 'older', one)
    if (existsSync(older)) cpSync(older, join(folder, one))
  }
}

const ways: Readonly<Record<string, (folder: string, name: string) => void>> = {
  deleted: (folder, name) => remove(folder, ...withBesides(name)),
  'cut in half': (folder, name) =>
    cut(join(folder, name), Math.floor(statSync(join(folder, name)).size / 2)),
  'put back as an older copy': putOlder,
  'changed in a byte': (folder, name) => flip(join(folder, name), 0.5),
}

const everyWay = files.flatMap((name) =>
  Object.entries(ways).map(
    ([way, damage]) => [`${name} ${way}`, (folder: string) => damage(folder, name)] as const,
  ),
)

test.each(everyWay)(
  'given %s at once after a kill under load, when started, then it refuses by name, or nothing is lost or said to be gone',
  async (name, damage) => {
    const folder = copyOf(name)
    damage(folder)

    const started = await startVigil(folder, env).catch((error: Error) => error.message)

    const [file = ''] = /^\w+\.db/.exec(name) ?? []
    if (typeof started === 'string') expect(started).toContain(`Cannot use ${folder}/${file}: `)
    else await expectEverything(started, file)
  },
)

test('given only the kill, when started, then everything answered is there', async () => {
  await expectEverything(await startVigil(copyOf('whole'), env))
})

test('given a loss, when it is accepted at the command line, then the service starts without what was lost', async () => {
  const folder = copyOf('accepted')
  remove(folder, 'log.db-wal')

  const looked = await restore('--data', folder)
  const accepted = await restore('--data', folder, '--accept-loss', '--json')
  const vigil = await startVigil(folder, env)

  expect(looked).toMatchObject({ code: 1 })
  expect(looked.out).toMatch(
    /log\.db: it ends at position \d+, .* are missing\.\nNothing was changed/,
  )
  expect(accepted.code).toBe(0)
  expect(JSON.parse(accepted.out)).toMatchObject({
    folder,
    losses: [{ of: 'log', recorded_at: expect.any(String) }],
  })
  const next = await evaluate(vigil, shop, 1)
  expect((await send(vigil, ['GET', next.path], { token: shop.token })).status).toBe(200)
  const [lost = ''] = [...answered.keys()].slice(-1)
  expect((await send(vigil, ['GET', lost], { token: shop.token })).status).toBe(404)
  expect(await vigil.stop('SIGTERM')).toBe(0)
})

/** All that was answered, but that a record whose event or key is damaged may be answered 503, and is in the log. */
async function expectEverything(vigil: StartedVigil, damaged = ''): Promise<void> {
  expect(answered.size).toBeGreaterThanOrEqual(60)
  let unreadable = 0
  for (const [path, body] of answered) {
    const seen = await send(vigil, ['GET', path], { token: shop.token })
    if (seen.status === 503 && /^(log|keys)/.test(damaged)) {
      unreadable += 1
      continue
    }
    expect(seen.status).toBe(200)
    expect(JSON.parse(seen.text)).toMatchObject(JSON.parse(body) as object)
  }
  if (unreadable > 0) expect(vigil.printed()).toMatch(/is damaged/)
  expect(await vigil.stop('SIGTERM')).toBe(0)
}

async function restore(
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly out: string }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [
      'dist/cli/main.js',
      'restore',
      ...words,
    ])
    return { code: 0, out: stdout }
  } catch (error) {
    const { code, stdout } = error as { readonly code: number; readonly stdout: string }
    return { code, out: stdout }
  }
}
