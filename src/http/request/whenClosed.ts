/** Runs callbacks when a response's connection closes; declares the 499 of a client that left. */

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

/** One for all of them: nobody looks into it, and clients that leave by the thousand are not to cost a stack each. */
export const clientLeft = new Error('The client left before its turn came.')

/** How it is counted and logged in place of an answer: as the proxies of the field do. */
export const clientLeftStatus = 499
export const clientLeftCode = 'client_closed_request'
