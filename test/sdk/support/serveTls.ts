/**
 * What stands in front of a service and ends TLS, as a proxy does: the host that was asked for goes through as it was.
 */

import { request } from 'node:http'
import { createServer } from 'node:https'
import { type Listening, listen } from '../../support/listen.ts'
import { selfSigned } from '../../support/selfSigned.ts'

/** Opens it on a free port, with a certificate for the names, in front of a port of this machine. */
export async function serveTls(names: readonly string[], to: number): Promise<Listening> {
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
  return listen(server)
}
