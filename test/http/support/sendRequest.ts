/** Sends one request to a port of this machine, without the niceties of `fetch`. */

import { type Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface Sent {
  readonly token?: string | undefined
  /**
   * An object is sent as JSON; text and bytes as they are. The content type is JSON's unless `headers` says otherwise.
   */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Received<Body = unknown> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text read as JSON; undefined when there is no text. */
  readonly body: Body
}

interface Place {
  readonly port: number
  readonly agent: Agent
  readonly method: string
  readonly path: string
}

/** The answer, read to its end. Rejects when the connection breaks or the text is not JSON. */
export function sendRequest<Body>(place: Place, sent: Sent): Promise<Received<Body>> {
  const payload = payloadOf(sent.body)
  const headers = { ...headersOf(sent, payload), ...sent.headers }
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...place, host: '127.0.0.1', headers }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const { statusCode: status = 0 } = incoming
        try {
          const { headers: answered } = incoming
          resolve({ status, headers: answered, text, body: parsed(text, answered) as Body })
        } catch (error) {
          reject(error)
        }
      })
    })
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
}

function payloadOf(body: unknown): string | Buffer | undefined {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body
  return JSON.stringify(body)
}

function headersOf({ token }: Sent, payload: string | Buffer | undefined) {
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
  }
}

function parsed(text: string, headers: IncomingHttpHeaders): unknown {
  if (/^text\/|ndjson/.test(headers['content-type'] ?? '')) return text
  return text === '' ? undefined : JSON.parse(text)
}
