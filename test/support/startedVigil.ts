/** The built service as a process of its own. */

import { type ChildProcess, spawn } from 'node:child_process'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Door } from '../http/support/openDoor.ts'
import { sendRequest } from '../http/support/sendRequest.ts'

const startMs = 60_000
const stopMs = 60_000
const pauseMs = 10

export interface StartedVigil {
  readonly url: string
  /** Its answers are held against nothing. Requests are rejected when the service is gone. */
  readonly door: Pick<Door, 'request'>
  readonly process: ChildProcess
  /** Everything it has printed so far, log and messages. */
  readonly printed: () => string
  /** What of it stood on standard output. */
  readonly out: () => string
  /** Sends the signal and resolves with the exit code once the process has ended; null when a signal ended it. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>
}

/**
 * Starts `dist/main.js` on a free port; resolves when it is ready, rejects with what it printed when it ends before.
 */
export async function startVigil(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<StartedVigil> {
  const started = spawnVigil(folder, env)
  const { child, printed, out } = started
  // counted by its pauses: a process that was suspended has not waited
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    const port = /"port":(\d+)/.exec(printed())?.[1]
    if (port !== undefined && printed().includes('its data lies in')) {
      return {
        url: `http://127.0.0.1:${port}`,
        door: doorOf(Number(port)),
        process: child,
        printed,
        out,
        stop: (signal) => stopped(started, signal),
      }
    }
    if (child.exitCode !== null) throw new Error(printed())
    if (waitedMs > startMs) throw new Error(`not ready in time: ${printed()}`)
    await sleep(pauseMs)
  }
}

function doorOf(port: number): StartedVigil['door'] {
  const agent = new Agent({ keepAlive: true })
  return {
    request: (method, path, sent = {}) => sendRequest({ port, agent, method, path }, sent),
  }
}

/** Runs `dist/main.js` until it ends by itself. */
export async function runVigil(
  folder: string,
  env: Readonly<Record<string, string>>,
  user: { readonly uid?: number; readonly gid?: number } = {},
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const started = spawnVigil(folder, env, user)
  const code = await ended(started.child)
  return { code, printed: started.printed() }
}

interface Spawned {
  readonly child: ChildProcess
  readonly printed: () => string
  readonly out: () => string
}

function spawnVigil(
  folder: string,
  env: Readonly<Record<string, string>>,
  user: { readonly uid?: number; readonly gid?: number } = {},
): Spawned {
  const child = spawn(process.execPath, ['--v8-pool-size=1', 'dist/main.js'], {
    env: { PATH: process.env['PATH'], PORT: '0', VIGIL_DATA: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  const texts = { printed: '', out: '' }
  child.stderr.on('data', (chunk: Buffer) => {
    texts.printed += chunk.toString()
  })
  child.stdout.on('data', (chunk: Buffer) => {
    texts.printed += chunk.toString()
    texts.out += chunk.toString()
  })
  return { child, printed: () => texts.printed, out: () => texts.out }
}

function stopped({ child, printed }: Spawned, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), stopMs)
  return ended(child).finally(() => {
    clearTimeout(late)
    if (child.signalCode === 'SIGKILL' && signal !== 'SIGKILL') {
      throw new Error(`did not stop on ${signal}: ${printed()}`)
    }
  })
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => child.once('close', resolve))
}
