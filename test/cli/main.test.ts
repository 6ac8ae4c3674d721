import { type ChildProcess, spawn } from 'node:child_process'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

/** The built program as a process of its own, started as `npx vigil` starts it: by its own name, which only an executable file allows. */
function start(...words: string[]): Process {
  const child = spawn('dist/cli/main.js', words, {
    env: {
      PATH: process.env['PATH'],
      VIGIL_URL: server.url,
      VIGIL_TOKEN: 'a-token',
      HOME: '/nowhere',
    },
  })
  children.push(child)
  const printed = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    printed.out += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
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

test('the exit code is the same when nobody reads standard error', async () => {
  const { child, ended } = start('rulez')
  child.stderr?.destroy()

  const { code } = await ended

  expect(code).toBe(2)
})
