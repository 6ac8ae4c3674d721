/** The built service as several processes, and what each of its workers answers. */

import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { type Received, type Sent, sendRequest } from '../http/support/sendRequest.ts'
import { eventually } from './eventually.ts'
import { operatorToken } from './runningShop.ts'
import { type StartedVigil, startVigil } from './startedVigil.ts'

export const workers = 3

type Body = Record<string, unknown>

export interface Asked<Answer = Body> extends Received<Answer> {
  /** Under which its line stands in the log. */
  readonly requestId: string
}

export interface StartedWorkers {
  readonly vigil: StartedVigil
  /** Sends on a connection of its own, so that the next worker answers. Rejects when the connection breaks. */
  readonly ask: <Answer = Body>(method: string, path: string, sent?: Sent) => Promise<Asked<Answer>>
  /** Sends at once on connections of their own, ten for each worker: whichever is free takes one. */
  readonly askAll: <Answer = Body>(
    method: string,
    path: string,
    sent?: Sent,
  ) => Promise<readonly Asked<Answer>[]>
  /** The number of the worker that answered each of these. */
  readonly answeredBy: (answers: readonly Pick<Asked, 'requestId'>[]) => Promise<readonly number[]>
  /** The process ids of the workers that there are now. */
  readonly pids: () => readonly number[]
  /** The lines of the log with this message. */
  readonly lines: (message: string) => readonly Body[]
}

/** Starts them; whoever does sees to their end, with `vigil.stop`. */
export async function startWorkers(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<StartedWorkers> {
  const vigil = await startVigil(folder, {
    VIGIL_WORKERS: `${workers}`,
    VIGIL_OPERATOR_TOKEN: operatorToken,
    VIGIL_DEMO: 'false',
    LOG_LEVEL: 'info',
    ...env,
  })
  const port = Number(new URL(vigil.url).port)
  const ask: StartedWorkers['ask'] = async <Answer = Body>(
    method: string,
    path: string,
    sent: Sent = {},
  ) => {
    const requestId = randomUUID()
    const agent = new Agent({ keepAlive: false })
    const headers = { ...sent.headers, 'x-request-id': requestId }
    const answer = await sendRequest<Answer>({ port, agent, method, path }, { ...sent, headers })
    return { ...answer, requestId }
  }
  const lines = (message: string) =>
    linesOf(vigil.printed()).filter((line) => line['msg'] === message)
  return {
    vigil,
    ask,
    askAll: <Answer = Body>(...request: Parameters<StartedWorkers['ask']>) =>
      Promise.all(Array.from({ length: workers * 10 }, () => ask<Answer>(...request))),
    answeredBy: async (answers) => {
      const found = () => {
        const byId = new Map(lines('request').map((line) => [line['request_id'], line['worker']]))
        return answers.map(({ requestId }) => byId.get(requestId) as number | undefined)
      }
      // lines are written by and by
      await eventually(() => found().every((worker) => worker !== undefined))
      return found() as number[]
    },
    pids: () => childrenOf(vigil.process.pid),
    lines,
  }
}

/** Whether there is a process of this id. */
export function isRunning(pid: number): boolean {
  return processes().some((one) => one.pid === pid)
}

/** The processes that this one has started and that have not ended. */
function childrenOf(parent: number | undefined): readonly number[] {
  return processes()
    .filter((one) => one.parent === parent)
    .map(({ pid }) => pid)
}

/** Those that run; what has ended and is only yet to be noticed is left out. */
function processes(): readonly { readonly pid: number; readonly parent: number }[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state = 'Z']) => !state.startsWith('Z'))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }))
}

function linesOf(printed: string): readonly Body[] {
  return printed
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Body)
}
