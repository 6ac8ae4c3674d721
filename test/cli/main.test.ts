import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { eventually } from '../support/eventually.ts'
import { type Answers, openAnswers } from './support/openAnswers.ts'

let server: Answers
const children: ChildProcess[] = []

beforeEach(async () => {
  server = await openAnswers(() => ({
    body: {
      flows: [{ id: 'flo_1', name: 'A', recipes: [] }],
      recipes: [],
      rules: [],
      lists: [],
      evaluations: [],
      next_after: '1',
    },
  }))
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

interface Process {
  readonly child: ChildProcess
  readonly ended: Promise<{ code: number | null; out: string; err: string }>
}

/**
 * The built program as a process of its own, started as `npx vigil` starts it: by its own name, which only an
 * executable file allows.
 */
const start = (...words: string[]): Process => startInto('pipe', words)

function startInto(stdout: 'pipe' | number, words: readonly string[]): Process {
  const child = spawn('dist/cli/main.js', words, {
    stdio: ['pipe', stdout, 'pipe'],
    env: {
      PATH: process.env['PATH'],
      VIGIL_URL: server.url,
      VIGIL_TOKEN: 'a-token',
      HOME: '/nowhere',
    },
  })
  children.push(child)
  const printed = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    printed.out += String(chunk)
  })
  child.stderr?.on('data', (chunk) => {
    printed.err += String(chunk)
  })
  const ended = new Promise<{ code: number | null; out: string; err: string }>(
    (resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, ...printed }))
    },
  )
  return { child, ended }
}

test('the built program shows its help', async () => {
  const { code, out } = await start('--help').ended

  expect(code).toBe(0)
  expect(out).toContain('Usage: vigil [options] [command]')
})

test('the built program asks the service with the token of its environment', async () => {
  const { code, out, err } = await start('flows', 'list').ended

  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toBe('ID     RECIPES  NAME\nflo_1        0  A\n')
  expect(server.asked[0]?.headers.authorization).toBe('Bearer a-token')
})

test('the built program reads a token from its standard input', async () => {
  const { child, ended } = start('flows', 'list', '--token', '-')
  child.stdin?.end('piped\n')

  const { code } = await ended

  expect(code).toBe(0)
  expect(server.asked[0]?.headers.authorization).toBe('Bearer piped')
})

test('the built program ends with the exit code', async () => {
  const { code, err } = await start('rulez').ended

  expect(code).toBe(2)
  expect(err).toContain('Did you mean rules?')
})

test('Ctrl-C ends tail cleanly', async () => {
  const { child, ended } = start('tail')
  const { asked } = server
  await eventually(() => asked.length >= 2)
  child.kill('SIGINT')

  const { code, err } = await ended

  expect({ code, err }).toEqual({ code: 0, err: '' })
})

test('Ctrl-C cancels a replay with the token that was piped in', async () => {
  const at = '2026-11-26T12:00:00Z'
  const counts = { match: 7, mismatch: 0, evidence_erased: 0, mismatches: [] }
  const times = { started_at: at, reported_at: at }
  const replay = { id: 'rpl_1', state: 'RUNNING', after: '0', end: '9', position: '7' }
  server = await openAnswers(() => ({ body: { ...replay, ...counts, ...times, replays: [] } }))
  const { child, ended } = start('replay', '--all', '--token', '-')
  child.stdin?.end('piped\n')
  const { asked } = server
  await eventually(() => asked.length >= 2)
  child.kill('SIGINT')

  const { code, err } = await ended

  const last = server.asked.at(-1)
  expect({ code, err }).toEqual({
    code: 130,
    err: 'vigil: Interrupted. Go on with --after 7.\n',
  })
  expect(last?.path).toBe('/v2/watch/audit/replays/rpl_1/cancel')
  expect(last?.headers.authorization).toBe('Bearer piped')
})

test.each([
  ['an answer', ['flows', 'list']],
  ['JSON', ['flows', 'list', '--json']],
  ['help', ['--help']],
  ['the version', ['--version']],
])(
  'given a full disk behind standard output, when %s is printed, then it ends with 74 and says so',
  async (_, words) => {
    const full = openSync('/dev/full', 'w')

    const { code, err } = await startInto(full, words).ended

    closeSync(full)
    expect(code).toBe(74)
    expect(err).toContain('Standard output cannot be written: the disk is full; free some space.')
  },
)

test.runIf(process.getuid?.() === 0)(
  'given room for only some of an answer in a file, when it is printed, then it ends with 74 and says so',
  async ({ skip }) => {
    const disk = temporaryFolder()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', disk], { stdio: 'ignore' })
    } catch {
      skip('mounting is not allowed here')
    }
    onTestFinished(() => void execFileSync('umount', [disk]))
    const flows = Array.from({ length: 500 }, (_, at) => ({
      id: `flo_${at}`,
      name: 'A',
      recipes: [],
    }))
    server = await openAnswers(() => ({ body: { flows } }))
    const file = openSync(join(disk, 'out'), 'w')

    const { code, err } = await startInto(file, ['flows', 'list', '--json']).ended

    closeSync(file)
    expect(code).toBe(74)
    expect(err).toContain('Standard output cannot be written: the disk is full; free some space.')
  },
)

test('given a reader that has gone, when more is printed, then it ends quietly', async () => {
  const flows = Array.from({ length: 5_000 }, (_, at) => ({
    id: `flo_${at}`,
    name: 'A',
    recipes: [],
  }))
  server = await openAnswers(() => ({ body: { flows } }))
  const { child, ended } = start('flows', 'list', '--json')
  child.stdout?.destroy()

  const { code, err } = await ended

  expect({ code, err }).toEqual({ code: 0, err: '' })
})

test('the exit code is the same when nobody reads standard error', async () => {
  const { child, ended } = start('rulez')
  child.stderr?.destroy()

  const { code } = await ended

  expect(code).toBe(2)
})
