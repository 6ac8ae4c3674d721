/** A request that takes its time. */

import { connect } from 'node:net'
import { eventually } from '../../support/eventually.ts'

export interface OpenRequest {
  readonly write: (body: string) => void
  /** Resolves with the answer when the connection ends. */
  readonly answered: Promise<string>
}

const goOn = 'HTTP/1.1 100 Continue\r\n\r\n'

/**
 * A request of the operator, to open an account, which the service has begun with and whose body of two bytes has not
 * come yet.
 */
export async function openRequest(url: string, token: string): Promise<OpenRequest> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  socket.on('error', () => undefined)
  const answered = new Promise<string>((resolve) =>
    socket.once('close', () => resolve(text.slice(goOn.length))),
  )
  socket.write(
    `POST /v2/operator/accounts HTTP/1.1\r\nHost: vigil\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`,
  )
  await eventually(() => text.startsWith(goOn))
  return { write: (body) => socket.write(body), answered }
}
