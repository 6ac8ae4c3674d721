/** What is to be done when an answer has been taken, or its client is gone. */

import type { ServerResponse } from 'node:http'

const works = Symbol('when closed')

type Closing = Pick<ServerResponse, 'once' | 'closed'> & { [works]?: (() => void)[] }

/** Does the work then, behind what was said before; at once when it is closed already. One listener for all of it: each of its own costs every request as much again. */
export function whenClosed(res: Closing, work: () => void): void {
  if (res.closed) {
    work()
    return
  }
  const known = res[works]
  if (known) {
    known.push(work)
    return
  }
  const all = [work]
  res[works] = all
  res.once('close', () => {
    for (const each of all) each()
  })
}
