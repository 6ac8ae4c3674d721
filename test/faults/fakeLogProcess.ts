/** The fake EventStoreDB as a process of its own, which can be stopped and go on. */

import { type ChildProcess, spawn } from 'node:child_process'
import { startFakeEventStoreDb } from '../support/eventStoreDb/fakeServer.ts'

/** The word by which `main.ts` is told to be that process. */
export const fakeLogWord = '--fake-log'

const startMs = 60_000

/** Serves until its end; says its connection string. */
export async function serveFakeLog(): Promise<void> {
  const { url } = await startFakeEventStoreDb()
  process.stdout.write(`${url}\n`)
  // whoever has started it has gone
  process.stdin.resume().on('end', () => process.exit(0))
}

export interface FakeLogProcess {
  readonly url: string
  readonly process: ChildProcess
}

/** Starts the process. Rejects when it does not say its connection string in time. */
export async function startFakeLogProcess(): Promise<FakeLogProcess> {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', fakeLogWord], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the fake log did not start')), startMs)
    child.on('error', reject).on('exit', () => reject(new Error('the fake log ended')))
    child.stdout.on('data', (chunk: Buffer) => {
      clearTimeout(late)
      resolve(chunk.toString().trim())
    })
  })
  return { url, process: child }
}
