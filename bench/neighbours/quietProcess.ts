/**
 * A process that is the quiet neighbour and nothing else: an evaluation and a question for life every few milliseconds,
 * whether or not those before were answered, since a caller of one evaluation does not wait for another's.
 */

import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerMessages } from '../childProcess.ts'
import { starvationOf } from './starvation.ts'
import { type Asked, type Waits, waitsOf } from './waits.ts'

export type QuietOrder =
  | {
      readonly do: 'begin'
      readonly port: number
      /** Of the service. */
      readonly pid: number
      readonly token: string
      readonly flow: string
    }
  | { readonly do: 'end' }

export interface QuietReport {
  readonly evaluations: Waits
  readonly life: Waits
  /** How late this process itself was: what the machine, not the service, made it wait. */
  readonly own: Waits
}

const everyMs = 10
const graceMs = 1_000
/** Connections of each kind; a question for which none is free waits, and its time counts. */
const connectionsMax = 64

type Begin = Extract<QuietOrder, { readonly do: 'begin' }>

interface Observed {
  readonly starvation: () => number
  readonly agents: readonly Agent[]
  readonly timer: NodeJS.Timeout
  readonly evaluations: Asked[]
  readonly life: Asked[]
  readonly own: Asked[]
  /** Each resolves when its question has an answer, good or not. */
  readonly settled: Promise<void>[]
}

let observed: Observed | undefined

answerMessages<QuietOrder, QuietReport | undefined>(async (order) => {
  if (order.do === 'begin') {
    observed = observe(order)
    return undefined
  }
  if (!observed) throw new Error('nothing was begun')
  clearInterval(observed.timer)
  // what was asked last is on its way
  await Promise.race([Promise.all(observed.settled), sleep(graceMs)])
  const endMs = performance.now()
  const { evaluations, life, own, starvation } = observed
  for (const one of [...evaluations, ...life]) {
    if (one.answeredMs === undefined) one.starvedMs = starvation() - (one.starvedMs ?? 0)
  }
  const report = {
    evaluations: waitsOf(evaluations, endMs),
    life: waitsOf(life, endMs),
    own: waitsOf(own, endMs),
  }
  for (const agent of observed.agents) agent.destroy()
  observed = undefined
  return report
})

function observe(order: Begin): Observed {
  const evaluate = new Agent({ keepAlive: true, maxSockets: connectionsMax })
  const live = new Agent({ keepAlive: true, maxSockets: connectionsMax })
  const lists = { evaluations: [] as Asked[], life: [] as Asked[], own: [] as Asked[] }
  const settled: Promise<void>[] = []
  const starvation = starvationOf(order.pid)
  let dueMs = performance.now()
  const timer = setInterval(() => {
    const next = evaluationOf(order, lists.evaluations.length)
    for (const nowMs = performance.now(); dueMs <= nowMs; dueMs += everyMs) {
      lists.own.push({ dueMs, answeredMs: nowMs })
      const asking = { dueMs, starvation, settled }
      lists.evaluations.push(ask(evaluate, asking, next))
      lists.life.push(ask(live, asking, { order, method: 'GET', path: '/health/live' }))
    }
  }, everyMs)
  return { agents: [evaluate, live], starvation, settled, timer, ...lists }
}

interface Question {
  readonly order: Begin
  readonly method: string
  readonly path: string
  readonly body?: string
}

function evaluationOf(order: Begin, number: number): Question {
  const body = JSON.stringify({
    flow_id: order.flow,
    target: { phone_number: `+336${10_000_000 + (number % 1_000)}` },
    signals: { ext: { cart: String(number % 100) } },
  })
  return { order, method: 'POST', path: '/v2/watch/eval', body }
}

interface Asking {
  readonly dueMs: number
  readonly starvation: () => number
  readonly settled: Promise<void>[]
}

function ask(agent: Agent, { dueMs, starvation, settled }: Asking, question: Question): Asked {
  const { order, method, path, body } = question
  // until it is answered: how much the service had been starved before
  const asked: Asked = { dueMs, starvedMs: starvation() }
  const sent = request(
    {
      agent,
      host: '127.0.0.1',
      port: order.port,
      method,
      path,
      headers: {
        Authorization: `Bearer ${order.token}`,
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        }),
      },
    },
    (answer) => {
      answer.resume()
      answer.once('end', () => {
        if (answer.statusCode !== 200) {
          asked.refused = answer.statusCode ?? 0
          return
        }
        asked.answeredMs = performance.now()
        asked.starvedMs = starvation() - (asked.starvedMs ?? 0)
      })
    },
  )
  // what is not answered well counts as waiting to the end
  sent.once('error', () => {
    asked.refused = 0
  })
  settled.push(new Promise((resolve) => sent.once('close', resolve)))
  sent.end(body)
  return asked
}
