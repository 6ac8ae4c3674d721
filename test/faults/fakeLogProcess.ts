/** The fake EventStoreDB as a process of its own, which can be stopped and go on. */

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

const program = join(import.meta.dirname, '../support/eventStoreDb/serveFake.ts')
const startMs = 60_000

export interface FakeLogProcess {
  readonly url: string
  readonly process: ChildProcess
}

/** Starts the process. Rejects when it does not say its connection string in time. */
export async function startFakeLogProcess(): Promise<FakeLogProcess> {
  const child = spawn(process.execPath, [...process.execArgv, program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the fake log did not start')), startMs)
    child.on('error', reject).on('exit', () => reject(new Error('the fake log ended')))
    child.stdout?.on('data', (chunk: Buffer) => {
      clearTimeout(late)
      resolve(chunk.toString().trim())
    })
  })
  return { url, process: child }
}
