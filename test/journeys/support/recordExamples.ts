/** A day of a shop, by which every operation of a real service is asked once and what it answers is kept. */

import type { Route } from '../../../src/http/request/route.ts'
import { listRoutes } from '../../../src/http/routes.ts'
import type { Received } from '../../http/support/sendRequest.ts'
import { operatorToken, type Vigil } from '../../support/openVigil.ts'
import { projectedHead } from '../../support/projectedHead.ts'
import { exampleValues } from './exampleText.ts'

interface Recorded {
  readonly parameters?: object
  readonly request?: unknown
  readonly status: number
  readonly answer?: unknown
  /** By status: what a refusal looks like. */
  readonly refusals?: Readonly<Record<string, unknown>>
}

export interface Asked {
  readonly operation: string
  /** Of the path and the query. */
  readonly parameters?: Readonly<Record<string, string>>
  /** A text is lines of JSON. */
  readonly body?: object | string
  /** Of a front end its SDK key. */
  readonly token?: string
  /** On the host of which application, where the operation stands on one. */
  readonly app?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Recorder {
  /**
   * Asks the operation, keeps what it answers under its id the first time, and gives the body. Throws unless it
   * succeeded.
   */
  readonly ask: (asked: Asked) => Promise<Readonly<Record<string, unknown>>>
  /** Asks the operation what it refuses with this status, and keeps the error. */
  readonly refused: (status: number, asked: Asked) => Promise<void>
  /** Asks, keeps nothing, and gives the whole answer, whatever it is. */
  readonly send: (asked: Asked) => Promise<Received<Record<string, unknown>>>
  /** The time of the service. */
  readonly nowMs: () => number
  readonly recorded: () => Readonly<Record<string, Recorded>>
}

const requestId = '0198c0de-0000-7000-8000-5bd7e1c1a0f4'
const startMs = Date.UTC(2026, 10, 21, 9, 30)

/** Opens a recorder on a service whose clock it moves: one second for each question. */
export function openRecorder(vigil: Vigil): Recorder {
  const routes = new Map(listRoutes().map((route) => [route.operationId, route]))
  const examples = new Map<string, Recorded>()
  const example = exampleValues()
  let nowMs = startMs

  const send: Recorder['send'] = async (asked) => {
    const route = routes.get(asked.operation)
    if (!route) throw new Error(`there is no operation ${asked.operation}`)
    // what a question has begun ends before the next
    await vigil.service.context.background.settled()
    nowMs += 1_000
    vigil.setTime(nowMs)
    // evaluations, and what is reported of them, are answered before the read models show them
    await projectedHead(vigil)
    const { path, sent } = requestOf(route, asked)
    return vigil.door.request<Record<string, unknown>>(route.method, path, {
      ...sent,
      headers: { 'x-request-id': requestId, ...sent.headers },
    })
  }

  const ask: Recorder['ask'] = async (asked) => {
    const { operation, parameters, body } = asked
    const { status, text, body: answer } = await send(asked)
    if (status > 299) throw new Error(`${operation}: ${status} ${text}`)
    if (!examples.has(operation)) {
      const named = Object.keys(parameters ?? {}).length > 0 ? { parameters } : {}
      const request = example({ ...named, request: body }) as object
      const shown = answer === undefined ? {} : { answer: example(excerptOf(operation, answer)) }
      examples.set(operation, { ...request, status, ...shown })
    }
    return answer
  }

  const refused: Recorder['refused'] = async (expected, asked) => {
    const { status, text, body } = await send(asked)
    if (status !== expected) throw new Error(`${asked.operation}: ${status} ${text}`)
    const known = examples.get(asked.operation)
    if (!known) throw new Error(`${asked.operation} has no example yet`)
    const refusals = { ...known.refusals, [status]: example(body) }
    examples.set(asked.operation, { ...known, refusals })
  }

  return {
    ask,
    refused,
    send,
    nowMs: () => nowMs,
    recorded: () =>
      Object.fromEntries([...examples].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

/** The path with its query, and what is sent to it. */
export function requestOf(
  route: Route,
  { parameters = {}, body, token = operatorToken, app, headers }: Asked,
) {
  const byKey = route.admits === 'front_end'
  const sent = {
    ...(!byKey && route.admits !== 'anyone' && { token }),
    headers: {
      ...(route.host === 'session' && { host: `${app}.session.localhost` }),
      ...(byKey && { 'x-sdk-key': token }),
      ...(typeof body === 'string' && { 'content-type': 'application/x-ndjson' }),
      ...headers,
    },
    ...(body && { body }),
  }
  return { path: pathOf(route, parameters), sent }
}

function pathOf({ path, ids }: Route, parameters: Readonly<Record<string, string>>): string {
  const entries = Object.entries(parameters)
  const query = new URLSearchParams(entries.filter(([name]) => !(name in ids)))
  const filled = entries.reduce((text, [name, value]) => text.replace(`{${name}}`, value), path)
  return query.size > 0 ? `${filled}?${query}` : filled
}

/**
 * Of two answers only the beginning: the rest of the one is all of this, and the numbers of the other are new every
 * time.
 */
function excerptOf(operation: string, answer: unknown): unknown {
  if (operation.endsWith('InterfaceDescription')) {
    const { openapi, info } = Object(answer)
    return { openapi, info }
  }
  if (operation !== 'getMetrics') return answer
  return String(answer)
    .split('\n')
    .filter((line) => line.includes('vigil_evaluations_total'))
    .join('\n')
    .concat('\n')
}
