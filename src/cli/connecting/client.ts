/** Calls the HTTP API with timeouts, size limits and retries; refusals become `CliError`s. */

import { randomUUID } from 'node:crypto'
import { interruptedError } from '../terminal/cliError.ts'
import { readBytes } from '../terminal/terminal.ts'
import {
  isConnectionBroken,
  notVigilError,
  refusalError,
  unreachableError,
} from './clientErrors.ts'
import type { Token } from './invocation.ts'

interface CallOptions {
  /** Parameters as texts or numbers; undefined ones are left out. */
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** A body that is no JSON object; it may be sent twice. */
  readonly text?: { readonly type: string; readonly content: string }
  /** Told of each piece of the answer as it arrives. */
  readonly onPiece?: (piece: Uint8Array) => void
  /** Sent though Ctrl-C was pressed: it ends what runs on the service. */
  readonly isAfterInterrupt?: boolean
}

/** A JSON object; empty for an answer without a body, with `lines` for newline-delimited JSON, `text` for CSV. */
export type JsonObject = Readonly<Record<string, unknown>>

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Makes one call. The answer is not validated against its type; a newer service may add fields. Throws a `CliError`
 * with exit code 1 for 4xx, 3 for 5xx and without an answer.
 */
export type Client = <Answer extends object = JsonObject>(
  method: Method,
  path: string,
  call?: CallOptions,
) => Promise<Answer>

interface ClientOptions {
  /** Without a path at its end, or with the one the service is mounted under. */
  readonly server: URL
  readonly token: Token
  readonly interrupted: AbortSignal
  readonly pause: (ms: number) => Promise<void>
}

const callMs = 30_000
const answerBytesMax = 64 * 1024 * 1024
/** Attempts before a "busy, try again" answer is final. */
const attemptsMax = 4
const waitMsMax = 5_000
/** Wait before resending a command after a broken connection; its idempotency key prevents a second execution. */
const reconnectDelayMs = 250
const neverInterrupted = new AbortController().signal

/** Opens a client of the service at this address, with this token. */
export function openClient(options: ClientOptions): Client {
  return async <Answer extends object>(method: Method, path: string, call: CallOptions = {}) => {
    const interrupted = call.isAfterInterrupt ? neverInterrupted : options.interrupted
    const asked = { ...call, path }
    return (await sendUntilAnswered({ ...options, interrupted }, method, asked)) as Answer
  }
}

type CallWithPath = CallOptions & { readonly path: string }

async function sendUntilAnswered(
  options: ClientOptions,
  method: Method,
  call: CallWithPath,
): Promise<JsonObject> {
  const { token, pause, interrupted } = options
  const request = buildRequest(options, method, call)
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === attemptsMax
    const received = await send(options, method, request).catch((thrown: unknown) => {
      if (isLast || method !== 'POST' || !isConnectionBroken(thrown)) throw thrown
    })
    const waitMs = received && readRetryDelayMs(received)
    if (received && (isLast || waitMs === undefined)) {
      return readAnswer(received, { url: request.url, token }, call.body)
    }
    await pause(waitMs ?? reconnectDelayMs)
    if (interrupted.aborted) throw interruptedError()
  }
}

interface Request {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly onPiece?: CallOptions['onPiece']
}

function buildRequest(
  { server, token }: ClientOptions,
  method: Method,
  { path, query = {}, body, text, onPiece }: CallWithPath,
): Request {
  const url = new URL(server)
  url.pathname = url.pathname.replace(/\/$/, '') + path
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  const sent = text ?? (body === undefined ? undefined : encodeJsonBody(body))
  const headers = {
    authorization: `Bearer ${token.text}`,
    accept: 'application/json',
    ...(sent && { 'content-type': sent.type }),
    // the same for every attempt: a command sent twice is carried out once
    ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
  }
  return { url, headers, ...(sent && { body: sent.content }), ...(onPiece && { onPiece }) }
}

function encodeJsonBody(body: unknown): NonNullable<CallOptions['text']> {
  return { type: 'application/json', content: JSON.stringify(body) }
}

interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A question ends with Ctrl-C; a command under way does not, so that what it did is known. */
async function send(
  { interrupted }: ClientOptions,
  method: Method,
  { url, onPiece, ...request }: Request,
): Promise<RawResponse> {
  if (interrupted.aborted) throw interruptedError()
  // an answer that is told piece by piece may take long; `fetch` itself ends the call after five silent minutes
  const timer = onPiece ? neverInterrupted : AbortSignal.timeout(callMs)
  const signal = method === 'GET' ? AbortSignal.any([timer, interrupted]) : timer
  try {
    // a redirect could carry the token to another server
    const response = await fetch(url, { ...request, method, signal, redirect: 'manual' })
    const pieces = (response.body ?? []) as AsyncIterable<Uint8Array>
    const told = onPiece ? tellPieces(pieces, onPiece) : pieces
    const bytes = await readBytes(told, answerBytesMax, 'the answer is too large')
    return { status: response.status, headers: response.headers, text: bytes.toString('utf8') }
  } catch (thrown) {
    if (interrupted.aborted && method === 'GET') throw interruptedError()
    throw unreachableError(url, timer.aborted ? `no answer within ${callMs / 1000} s` : thrown)
  }
}

async function* tellPieces(
  pieces: AsyncIterable<Uint8Array>,
  onPiece: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of pieces) {
    onPiece(piece)
    yield piece
  }
}

/** How long to wait before trying again; undefined when the answer is one to be read. */
function readRetryDelayMs({ status, headers }: RawResponse): number | undefined {
  if (status !== 503 && status !== 429) return undefined
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 && seconds * 1000 <= waitMsMax ? seconds * 1000 : undefined
}

function readAnswer(
  { status, headers, text }: RawResponse,
  target: Parameters<typeof refusalError>[2],
  sent: unknown,
): JsonObject {
  const type = headers.get('content-type') ?? ''
  if (status === 200 && type.startsWith('text/csv')) return { text }
  const isLines = type.startsWith('application/x-ndjson')
  const json = isLines ? `{"lines":[${text.trim().replaceAll('\n', ',')}]}` : text
  const body = parseObject(json)
  if (status >= 400) throw Object.assign(refusalError(status, body, target), { sent })
  if (status >= 300 || body === undefined)
    throw notVigilError(status, target.url, headers.get('location'))
  return body
}

function parseObject(text: string): JsonObject | undefined {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
