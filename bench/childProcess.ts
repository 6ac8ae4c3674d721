/** Processes of their own for what is measured, so that each side has a core and none warms the other's code. */

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const startMs = 300_000
const stopMs = 30_000

export interface Started {
  readonly port: number
  readonly pid: number
  readonly stop: () => Promise<void>
}

export const operatorToken = 'an-operator-token-of-the-benchmark'

/** A folder for one benchmark, and how to remove it. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'vigil-bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * The built service on a data folder, with the stores it has by default, these flags of Node and these settings;
 * resolves when it listens. Rejects with what it printed.
 */
export async function startVigil(
  dataFolder: string,
  flags: readonly string[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child = spawn(
    process.execPath,
    ['--v8-pool-size=1', ...flags, fileURLToPath(new URL('../dist/main.js', import.meta.url))],
    {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        VIGIL_DATA: dataFolder,
        VIGIL_OPERATOR_TOKEN: operatorToken,
        // one line for each request is work that the reference does not do
        LOG_LEVEL: 'warn',
        ...settings,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const port = await listening(child)
  return { port, pid: child.pid ?? 0, stop: () => stopped(child) }
}

function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const late = setTimeout(() => reject(new Error(`not started in time: ${printed}`)), startMs)
    child.once('exit', () => reject(new Error(printed)))
    child.stderr?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const port = /listens on http:\/\/[^:]+:(\d+)/.exec(printed)?.[1]
      if (port === undefined) return
      clearTimeout(late)
      resolve(Number(port))
    })
  })
}

function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const late = setTimeout(() => child.kill('SIGKILL'), stopMs)
    child.once('exit', () => {
      clearTimeout(late)
      resolve()
    })
    child.kill('SIGTERM')
  })
}

export interface Helper {
  readonly pid: number
  /** Sends a question and resolves with the answer to it; one at a time. */
  readonly ask: <Answer>(question: unknown) => Promise<Answer>
  readonly stop: () => Promise<void>
}

/** A module of this folder as a process that answers each message with one, see `answerMessages`. */
export function startHelper(module: string, { givesWay = false } = {}): Helper {
  const flags = ['--import', 'tsx', '--expose-gc']
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), {
    // so that all of its threads have it: set later, a priority is that of one
    ...(givesWay && { execPath: 'nice' }),
    execArgv: givesWay ? ['-n', '19', process.execPath, ...flags] : flags,
    serialization: 'advanced',
  })
  return {
    pid: child.pid ?? 0,
    ask: (question) =>
      new Promise((resolve, reject) => {
        const ended = (code: number | null) => reject(new Error(`${module} ended with ${code}`))
        child.once('exit', ended)
        child.once('message', (answer: Answered) => {
          child.off('exit', ended)
          if ('failed' in answer) reject(new Error(answer.failed))
          else resolve(answer.value as never)
        })
        child.send(question as object)
      }),
    stop: () => stopped(child),
  }
}

type Answered = { readonly value: unknown } | { readonly failed: string }

/** The helper's end: answers every message of the parent with what `work` makes of it. */
export function answerMessages<Question, Answer>(
  work: (question: Question) => Promise<Answer>,
): void {
  const send = (answer: Answered): void => {
    process.send?.(answer)
  }
  process.on('message', (question: Question) => {
    work(question).then(
      (value) => send({ value }),
      (error: unknown) =>
        send({ failed: error instanceof Error ? String(error.stack) : String(error) }),
    )
  })
}
