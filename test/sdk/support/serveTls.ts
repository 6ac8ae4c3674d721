/** What stands in front of a service and ends TLS, as a proxy does: the host that was asked for goes through as it was. */

import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { selfSigned } from '../../support/selfSigned.ts'

export interface TlsFront {
  readonly port: number
  readonly close: () => Promise<void>
}

/** Opens it on a free port, with a certificate for the names, in front of a port of this machine. */
export async function serveTls(names: readonly string[], to: number): Promise<TlsFront> {
  const server = createServer(selfSigned(names), (req, res) => {
    const { method, url, headers } = req
    const outgoing = request({ host: '127.0.0.1', port: to, method, path: url, headers })
    outgoing.on('response', (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(res)
    })
    outgoing.on('error', () => res.destroy())
    req.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
