/** Feedback in batches: what an entry of a hundred costs against one that comes alone. */

import { Agent, request } from 'node:http'
import type { Benchmark } from './benchmark.ts'
import { startVigil, temporaryFolder } from './childProcess.ts'
import { type Figure, figureOf } from './figure.ts'
import { person } from './people.ts'
import { settled } from './readiness.ts'
import { openAccount } from './shop.ts'
import { median, ratios } from './statistics.ts'

const path = '/v2/watch/feedback'
const connections = 8
const peopleCount = 5_000
const batch = 100

/** Measures entries per second, durable and sealed, by so many callers at once, in batches and one by one in turn. */
export const feedbackBatches: Benchmark = async ({ size }) => {
  const folder = temporaryFolder()
  const vigil = await startVigil(folder.path)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  try {
    const { token } = await openAccount(vigil.port, ['feedback'])
    const load = {
      agent,
      token,
      port: vigil.port,
      durationMs: { full: 5_000, quick: 1_000, smallest: 100 }[size],
    }
    const single: number[] = []
    const batched: number[] = []
    for (let round = -1; round < { full: 9, quick: 3, smallest: 1 }[size]; round += 1) {
      await settled(vigil.port)
      const alone = await entriesPerSecond({ ...load, size: 1 })
      await settled(vigil.port)
      const together = await entriesPerSecond({ ...load, size: batch })
      if (round < 0) continue
      single.push(alone)
      batched.push(together)
    }
    return [figure(batched, single)]
  } finally {
    agent.destroy()
    await vigil.stop()
    folder.remove()
  }
}

function figure(batched: readonly number[], single: readonly number[]): Figure {
  const rate = (of: readonly number[]): string => `${median(of).toFixed(0)}/s`
  return figureOf(
    {
      name: `POST ${path}, ${batch} entries a batch, ${connections} connections, durable, sealing on`,
      against: 'the same entries one by one',
      unit: 'times its entries/s',
      target: { bound: 'at least', value: 3 },
    },
    ratios(batched, single),
    [`in batches ${rate(batched)}, one by one ${rate(single)}`],
  )
}

interface Load {
  readonly agent: Agent
  readonly port: number
  readonly token: string
  readonly durationMs: number
  /** Entries of each request. */
  readonly size: number
}

async function entriesPerSecond(load: Load): Promise<number> {
  const begunMs = performance.now()
  let sent = 0
  let taken = 0
  const caller = async (): Promise<void> => {
    while (performance.now() - begunMs < load.durationMs) {
      const body = bodyOf(sent, load.size)
      sent += load.size
      if ((await post(load, body)) === 200) taken += load.size
    }
  }
  await Promise.all(Array.from({ length: connections }, caller))
  if (taken === 0) throw new Error('nothing was taken')
  return (taken * 1_000) / (performance.now() - begunMs)
}

function bodyOf(from: number, size: number): string {
  const feedbacks = Array.from({ length: size }, (_, index) => {
    const { phone_number, ext } = person((from + index) % peopleCount)
    return {
      target: { type: 'phone_number', value: phone_number },
      type: index % 2 === 0 ? 'verification.started' : 'verification.completed',
      signals: { user_agent: ext['user_agent'], device_platform: 'web' },
      metadata: { correlation_id: `signup-${from + index}` },
    }
  })
  return JSON.stringify({ feedbacks })
}

function post({ agent, port, token }: Load, body: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((resolve, reject) => {
    const sending = request(
      { agent, host: '127.0.0.1', port, method: 'POST', path, headers },
      (answer) => {
        answer.resume()
        answer.once('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    sending.once('error', reject)
    sending.end(body)
  })
}
