/** Two ends of one connection. */

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Both in this process; whoever opens them destroys one, which ends the other. */
export async function connectedSockets(): Promise<readonly [Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [[far]] = await Promise.all([accepted, once(near, 'connect')])
  server.close()
  return [near, far]
}
