/** A request that takes its time. */

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface OpenRequest {
  readonly write: (body: string) => void
  /** Resolves with all that the service sent when the connection ends. */
  readonly answered: Promise<string>
}

/** A request of the operator, to open an account, whose body of two bytes has not come yet. */
export async function openRequest(url: string, token: string): Promise<OpenRequest> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  socket.on('error', () => undefined)
  const answered = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  socket.write(
    `POST /v2/operator/accounts HTTP/1.1\r\nHost: vigil\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`,
  )
  await sleep(100)
  return { write: (body) => socket.write(body), answered }
}
