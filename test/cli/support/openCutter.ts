/** A proxy that carries requests on but loses the answers of some of them. */

import { createServer, request } from 'node:http'
import { listen } from '../../support/listen.ts'

interface Cutter {
  readonly url: string
  readonly close: () => Promise<void>
}

/** In front of this port; the requests of these numbers, from 1 on, are carried out and their connection breaks. */
export async function openCutter(port: number, lost: readonly number[]): Promise<Cutter> {
  let requests = 0
  const server = createServer((req, res) => {
    requests += 1
    const isLost = lost.includes(requests)
    const { method, url: path, headers } = req
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (incoming) => {
      if (isLost) {
        incoming.resume()
        incoming.once('end', () => req.socket.destroy())
        return
      }
      res.writeHead(incoming.statusCode ?? 500, incoming.headers)
      incoming.pipe(res)
    })
    outgoing.on('error', () => req.socket.destroy())
    req.pipe(outgoing)
  })
  const { port: own, close } = await listen(server)
  return { url: `http://127.0.0.1:${own}`, close }
}
