/** Requests that a client sends behind one another on a connection, without waiting for answers. */

import type { RequestListener } from 'node:http'
import { whenClosed } from './whenClosed.ts'

/** Requests that may wait behind the one that is served; a client that sends more loses its connection. */
const behindMax = 32

type Begin = () => void

/**
 * Serves one request of a connection at a time: the next begins when the client has taken the answer before it. So nobody has more
 * under way than connections, and whoever does not read is not served further. Those that wait end with their connection.
 */
export function inOrder(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<object, Begin[]>()

  return (req, res) => {
    const { socket } = req
    const begin = (): void => {
      whenClosed(res, next)
      serve(req, res)
    }
    const next = (): void => {
      const following = socket.destroyed ? undefined : waiting.get(socket)?.shift()
      if (following) following()
      else waiting.delete(socket)
    }
    const line = waiting.get(socket)
    if (line === undefined) {
      waiting.set(socket, [])
      begin()
    } else if (line.length < behindMax) line.push(begin)
    else socket.destroy()
  }
}
