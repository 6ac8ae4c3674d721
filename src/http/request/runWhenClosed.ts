/** Runs callbacks when a response's connection closes; declares the 499 of a client that left. */

import type { ServerResponse } from 'node:http'

const works = Symbol('when closed')

type Closing = Pick<ServerResponse, 'once' | 'closed'> & { [works]?: (() => void)[] }

/** Runs `work` after earlier callbacks, at once if closed. One listener for all: one each slows every request. */
export function runWhenClosed(res: Closing, work: () => void): void {
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

/** A single shared error: its stack is never read, and creating one per departed client would be expensive. */
export const clientLeftError = new Error('The client disconnected while its request was queued.')

/** The status and code counted and logged in place of an answer, as nginx does. */
export const clientLeftStatus = 499
export const clientLeftCode = 'client_closed_request'
