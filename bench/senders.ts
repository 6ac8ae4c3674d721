/** Callers that send one request after another over connections that are kept, and how many are answered in a while. */

import { type Agent, request } from 'node:http'

export interface Load {
  readonly agent: Agent
  readonly port: number
  readonly durationMs: number
  /** How many send at once. */
  readonly connections: number
}

export interface Requests {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: (number: number) => object
}

/** Requests per second, each with a number that none of them had before. Throws for one that is refused. */
export async function perSecond(load: Load, requests: Requests): Promise<number> {
  const begunMs = performance.now()
  let taken = 0
  const sender = async (): Promise<void> => {
    while (performance.now() - begunMs < load.durationMs) {
      await postNext(load, requests)
      taken += 1
    }
  }
  await Promise.all(Array.from({ length: load.connections }, sender))
  return (taken * 1_000) / (performance.now() - begunMs)
}

/** Goes on where the last call for these requests has ended. */
const sentOf = new WeakMap<Requests, number>()

/** Sends the next of these requests. Throws when it is refused. */
export async function postNext(
  load: Pick<Load, 'agent' | 'port'>,
  requests: Requests,
): Promise<void> {
  const number = sentOf.get(requests) ?? 0
  sentOf.set(requests, number + 1)
  const status = await post(load, requests, number)
  if (status > 299) throw new Error(`${requests.path} answered ${status}`)
}

function post(
  { agent, port }: Pick<Load, 'agent' | 'port'>,
  requests: Requests,
  number: number,
): Promise<number> {
  const body = JSON.stringify(requests.body(number))
  const headers = {
    ...requests.headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((resolve, reject) => {
    const sending = request(
      { agent, host: '127.0.0.1', port, method: 'POST', path: requests.path, headers },
      (answer) => {
        answer.resume()
        answer.once('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    sending.once('error', reject)
    sending.end(body)
  })
}
