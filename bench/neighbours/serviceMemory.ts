/** The memory that a started service holds, once what it holds no more is collected. */

import { setTimeout as sleep } from 'node:timers/promises'
import { operatorToken, type Started } from '../childProcess.ts'

/** So that the service collects its garbage when it is asked to; nothing else of it is changed. */
export const collectsOnSignal: readonly string[] = [
  '--expose-gc',
  '--import',
  "data:text/javascript,process.on('SIGUSR2',()=>globalThis.gc())",
]

export interface HeldMemory {
  /** Objects and buffers of the thread that answers. */
  readonly heldMiB: number
  /** All of the process, garbage and free pages included. */
  readonly residentMiB: number
}

const collectMs = 1_000

/** Asks the service to collect, waits a moment, and reads its metrics. Rejects when they are not answered. */
export async function memoryOf({ port, pid }: Started): Promise<HeldMemory> {
  process.kill(pid, 'SIGUSR2')
  await sleep(collectMs)
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { Authorization: `Bearer ${operatorToken}` },
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`GET /metrics: ${answer.status} ${text}`)
  const heap = metricIn(text, 'nodejs_heap_size_used_bytes')
  const external = metricIn(text, 'nodejs_external_memory_bytes')
  return {
    heldMiB: (heap + external) / 2 ** 20,
    residentMiB: metricIn(text, 'process_resident_memory_bytes') / 2 ** 20,
  }
}

/** The value of a metric without labels. Throws when it is not there. */
function metricIn(text: string, name: string): number {
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
  if (value === undefined) throw new Error(`there is no metric ${name}`)
  return Number(value)
}
