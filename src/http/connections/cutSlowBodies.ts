/** What a client may take to send the whole of a request. */

import type { IncomingMessage } from 'node:http'
import { goesOn } from '../request/bodyAsItComes.ts'

interface SlowBodies {
  /** To be told of every request when its headers are there. */
  readonly watch: (req: IncomingMessage) => void
}

/**
 * Cuts off who has not sent a request within so many milliseconds of its headers; of one whose body is read while it arrives, who has sent
 * next to nothing more of it for so long, or for twice as long at most.
 */
export function cutSlowBodies(timeoutMs: number, cut: (req: IncomingMessage) => void): SlowBodies {
  return {
    watch: (req) => {
      const timer = setTimeout(() => {
        if (req.complete) return
        if (goesOn(req)) timer.refresh()
        else cut(req)
      }, timeoutMs)
      // which follows its end
      req.once('close', () => clearTimeout(timer))
    },
  }
}
