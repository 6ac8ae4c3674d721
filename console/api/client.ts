/** Asks the API in the name of the session, with the types of its description. */

import type { Operations } from './schema.ts'

export type OperationKey = keyof Operations

type Needs<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : Record<never, never> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value }

/** What an operation is asked with. */
export type Asked<Key extends OperationKey> = Needs<'path', Operations[Key]['path']> &
  Needs<'query', Operations[Key]['query']> &
  Needs<'body', Operations[Key]['body']> & {
    readonly ifMatch?: string
    readonly signal?: AbortSignal
  }

export interface Answered<Value> {
  readonly value: Value
  readonly etag: string | undefined
}

export interface Detail {
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  readonly length?: number
}

type Refusal = Readonly<Partial<Record<string, unknown>>>

/** A refusal of the API, or a service that did not answer (status 0). */
export class ApiFailure extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly Detail[]
  readonly requestId: string | undefined

  constructor(status: number, body: Refusal) {
    super(String(body['message'] ?? `The service answered ${status}.`))
    this.status = status
    this.code = String(body['code'] ?? 'unknown')
    this.details = Array.isArray(body['details']) ? (body['details'] as Detail[]) : []
    this.requestId = body['request_id'] === undefined ? undefined : String(body['request_id'])
  }
}

const base = '/console/api'

/** Told of every answer that there is no session. */
let onSignedOut = (): void => undefined
export function whenSignedOut(tell: () => void): void {
  onSignedOut = tell
}

/** Says which screen asks: on record where it is shown a person. */
let screenName = (): string => 'console'
export function nameScreen(name: () => string): void {
  screenName = name
}

/** Milliseconds that the clock of the service is ahead of this one's. */
let clockAheadMs = 0
export const serverNowMs = (): number => Date.now() + clockAheadMs

/** Throws `ApiFailure`; an aborted request throws its reason. */
export async function ask<Key extends OperationKey>(
  key: Key,
  asked: Asked<Key>,
): Promise<Answered<Operations[Key]['answer']>> {
  const { body, ifMatch, signal } = asked as Loose
  const [method = 'GET'] = key.split(' ')
  const response = await send(base + addressOf(key, asked), {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const value = isJson ? JSON.parse(text) : text
  return { value, etag: response.headers.get('etag') ?? undefined }
}

/** Of an operation: its path with what it is asked, below the API. */
function addressOf<Key extends OperationKey>(key: Key, asked: Asked<Key>): string {
  const { path = {}, query = {} } = asked as Loose
  const [, pattern = ''] = key.split(' ')
  const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''))
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  )
  return search.size > 0 ? `${filled}?${search}` : filled
}

/** The address of a file, for a link. */
export function fileAddressOf<Key extends OperationKey>(key: Key, asked: Asked<Key>): string {
  return base + addressOf(key, asked)
}

/** Asks and changes nothing, though by POST. */
const question = /\/(preview|test)(\?|$)/
const waitMsMax = 5_000

/** Over the limits of the account nothing was done; what the service could not do in time may go on there. */
function waitMsOf({ status, headers, url }: Response, method = 'GET'): number {
  const isHarmless = status === 429 || (status === 503 && (method === 'GET' || question.test(url)))
  return isHarmless ? Number(headers.get('retry-after') ?? Infinity) * 1_000 : Infinity
}

/** Throws `ApiFailure`. What the service was too busy for is sent again when it says, a few times. */
export async function send(url: string, init: RequestInit, attempts = 4): Promise<Response> {
  let response: Response
  try {
    const headers = { ...init.headers, 'X-Vigil-Screen': screenName() }
    response = await fetch(url, { credentials: 'same-origin', ...init, headers })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiFailure(0, { code: 'unreachable', message: 'The service does not answer.' })
  }
  const { ok, status } = response
  const date = Date.parse(response.headers.get('date') ?? '')
  // whole seconds: a smaller difference says nothing
  if (Math.abs(date - Date.now()) > 2_000) clockAheadMs = date - Date.now()
  if (ok || status === 304) return response
  const waitMs = waitMsOf(response, init.method)
  if (attempts > 1 && waitMs <= waitMsMax) {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    return send(url, init, attempts - 1)
  }
  const failure = new ApiFailure(status, (await response.json().catch(() => ({}))) as Refusal)
  if (status === 401 && url.startsWith(base)) onSignedOut()
  throw failure
}

interface Loose {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly ifMatch?: string
  readonly signal?: AbortSignal
}
