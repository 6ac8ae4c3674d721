/**
 * A process that sends requests as fast as they are answered, over raw sockets, because it shares the cores with the
 * server.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { answerMessages } from './childProcess.ts'
import { evalBody } from './evalBody.ts'
import { type Line, openLine } from './line.ts'
import { type Person, person } from './people.ts'
import { quantile } from './statistics.ts'

interface Load {
  readonly port: number
  readonly connections: number
  readonly durationMs: number
  /** So many in a steady pace, timed from when they are due; as fast as they are answered unless given. */
  readonly perSecond?: number
}

/** Evaluations of people. */
export interface LoadOrder extends Load {
  readonly token: string
  /** Taken in turn by the people. */
  readonly flows: readonly string[]
  /** How many people there are, from the number `from` on. */
  readonly peopleCount: number
  readonly from?: number
  /** Whether every request is of somebody else, however many there are. */
  readonly isEachNew?: boolean
}

/** Requests as they go over the wire, taken in turn. */
export interface RequestsOrder extends Load {
  readonly requests: readonly string[]
}

export interface LoadReport {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The body of one answer. */
  readonly sample: Buffer
}

answerMessages<LoadOrder | RequestsOrder, LoadReport>(load)

async function load(order: LoadOrder | RequestsOrder): Promise<LoadReport> {
  const requestAt = requestsOf(order)
  const times: number[] = []
  let next = 0
  let sample: Buffer = Buffer.alloc(0)
  const lines = await Promise.all(
    Array.from({ length: order.connections }, () => openLine(order.port)),
  )
  // the first request of a connection costs more than any other, and is not what is measured
  for (const line of lines) {
    await line.send(requestAt(next))
    next += 1
  }
  const first = next
  const begunMs = performance.now()
  const endMs = begunMs + order.durationMs
  const one = async (line: Line): Promise<void> => {
    while (performance.now() < endMs) {
      const number = next
      next += 1
      const dueMs = await due(order.perSecond, begunMs, number - first)
      sample = await line.send(requestAt(number))
      times.push(performance.now() - dueMs)
    }
    line.close()
  }
  await Promise.all(lines.map(one))
  const seconds = (performance.now() - begunMs) / 1000
  return {
    requests: times.length,
    requestsPerSecond: times.length / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    sample,
  }
}

/** Waits until the request of this number is due in the pace, and answers when that was. */
async function due(
  perSecond: number | undefined,
  begunMs: number,
  number: number,
): Promise<number> {
  const nowMs = performance.now()
  if (perSecond === undefined) return nowMs
  const dueMs = begunMs + (number * 1_000) / perSecond
  if (dueMs > nowMs) await sleep(dueMs - nowMs)
  return dueMs
}

/** The requests by their number, made beforehand as far as they are known to be needed. */
function requestsOf(order: LoadOrder | RequestsOrder): (number: number) => Buffer {
  const made = 'requests' in order ? order.requests.map((text) => Buffer.from(text)) : madeOf(order)
  return (number) => {
    const isBeyond = number >= made.length && 'isEachNew' in order && order.isEachNew
    return isBeyond ? personalRequest(order, number) : (made[number % made.length] as Buffer)
  }
}

function madeOf(order: LoadOrder): readonly Buffer[] {
  return Array.from({ length: order.peopleCount }, (_, number) => personalRequest(order, number))
}

function personalRequest(order: LoadOrder, number: number): Buffer {
  const flow = order.flows[number % order.flows.length] as string
  return requestOf(order, person((order.from ?? 0) + number), flow)
}

function requestOf({ token }: LoadOrder, person: Person, flow: string): Buffer {
  const body = JSON.stringify(evalBody(person, flow))
  return Buffer.from(
    `POST /v2/watch/eval HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
