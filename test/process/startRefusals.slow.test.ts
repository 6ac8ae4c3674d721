import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { listen } from '../support/listen.ts'
import { runVigil, startVigil } from '../support/startedVigil.ts'

test('given a data folder that cannot be made, when started, then it refuses by its name', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')

  const { code, printed } = await runVigil(join(file, 'data'), {})

  expect(code).toBe(1)
  expect(printed).toContain(`Cannot use ${join(file, 'data')} as data folder`)
  expect(printed).toContain('VIGIL_DATA')
})

const isRoot = process.getuid?.() === 0
const nobody = { uid: 65_534, gid: 65_534 }

test.runIf(isRoot)(
  'given a data folder of another owner, or in a folder that is closed, when started, then each is named with what to do',
  async () => {
    const outer = temporaryFolder()
    const folder = join(outer, 'data')
    mkdirSync(folder, { mode: 0o755 })
    chmodSync(outer, 0o755)

    const ofRoot = await runVigil(folder, {}, nobody)
    chmodSync(outer, 0o000)
    const closed = await runVigil(folder, {}, nobody)

    for (const { code, printed } of [ofRoot, closed]) {
      expect(code).toBe(1)
      expect(printed).toContain(
        `Cannot use ${folder} as data folder: this user may not read or write it; give it to this user (chown, chmod), or run as its owner. Name another one with VIGIL_DATA.`,
      )
      expect(printed).not.toContain('EACCES')
    }
  },
)

test.runIf(isRoot)(
  'given a data folder with the log of another owner, when started, then the log is named',
  async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'log.db'), '', { mode: 0o600 })
    chownSync(folder, nobody.uid, nobody.gid)

    const { code, printed } = await runVigil(folder, {}, nobody)

    expect(code).toBe(1)
    expect(printed).toContain(`Cannot use ${join(folder, 'log.db')}: this user may not read or`)
  },
)

test('given a data folder where no folder can be made, when started, then it is refused at once', async () => {
  const { code, printed } = await runVigil('/proc/vigil/data', {})

  expect(code).toBe(1)
  expect(printed).toContain('Cannot use /proc/vigil/data as data folder: it is not there')
})

test.runIf(isRoot)(
  'given a data folder on a file system mounted read-only, when started, then that is said, whether it is there or not',
  async ({ skip }) => {
    const mounted = temporaryFolder()
    if (!mount(mounted)) skip('mounting is not allowed here')
    const folder = join(mounted, 'data')
    mkdirSync(folder)
    execFileSync('mount', ['-o', 'remount,ro', mounted])
    onTestFinished(() => void execFileSync('umount', [mounted]))

    for (const path of [folder, join(mounted, 'other', 'data')]) {
      const { code, printed } = await runVigil(path, {})

      expect(code).toBe(1)
      expect(printed).toContain(`Cannot use ${path} as data folder: its file system is mounted r`)
    }
  },
)

/** Whether a file system of its own stands there now. */
function mount(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test('given a folder in the place of the master key, when started, then it is named', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'master.key'))

  const { code, printed } = await runVigil(folder, {})

  expect(code).toBe(1)
  expect(printed).toContain(`Cannot use ${join(folder, 'master.key')}`)
})

test('given a new folder, when the service runs, then everything in it is for its owner alone', async () => {
  const folder = join(temporaryFolder(), 'data')
  const vigil = await startVigil(folder)

  const readable = readdirSync(folder).filter((name) => statSync(join(folder, name)).mode & 0o077)

  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['log.db-wal', 'keys.db-wal']))
  expect(readable).toEqual([])
  expect(await vigil.stop('SIGTERM')).toBe(0)
})

test('given files that others may read, when started, then they are named in the log', async () => {
  const folder = join(temporaryFolder(), 'data')
  await (await startVigil(folder)).stop('SIGTERM')
  chmodSync(join(folder, 'keys.db'), 0o644)

  const vigil = await startVigil(folder)

  expect(await vigil.stop('SIGTERM')).toBe(0)
  expect(vigil.printed()).toMatch(/Others than the owner may read or write data of Vigil/)
  expect(vigil.printed()).toContain(join(folder, 'keys.db'))
})

describe('given a place to listen that it cannot have', () => {
  const cannotListen = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const { code, printed } = await runVigil(temporaryFolder(), env)

    expect(code).toBe(1)
    expect(printed).not.toContain('see above')
    const [, ...refusals] = printed.split('Vigil cannot go on:\n')
    expect(refusals).toHaveLength(1)
    // lines of the log come by another way, and may come later
    const lines = refusals.join().split('\n')
    return lines
      .filter((line) => !line.startsWith('{'))
      .join('\n')
      .trim()
  }

  test('a port in use is told once with what to set', async () => {
    const { port, close } = await listen(createServer())

    const refusal = await cannotListen({ PORT: `${port}` })

    await close()
    expect(refusal).toBe(
      `PORT ${port} on HOST 127.0.0.1 is in use by another process. Stop that one, or set PORT to a port that is free.`,
    )
  })

  test.each([
    ['nonexistent.invalid', 'is a name that leads to no address. Set HOST to'],
    ['8.8.8.8', 'is no address of this machine. Set HOST to'],
  ])('HOST %s is told with what to set', async (host, words) => {
    expect(await cannotListen({ HOST: host })).toContain(`HOST ${host} ${words}`)
  })
})
