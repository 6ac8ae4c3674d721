/** A request that waits in a queue, and may be given up meanwhile. */

import { Failure } from '../../domain/failure.ts'
import type { Leave } from '../../domain/fairQueue.ts'
import { clientLeft } from '../request/clientLeft.ts'
import type { Context } from '../request/context.ts'
import { whenClosed } from '../request/whenClosed.ts'

interface Queued {
  readonly ctx: Context
  /** Throws what the request is told when it may not even wait. */
  readonly enter: (begin: (leave: Leave) => void) => Leave
}

/**
 * Does the work when the queue begins it; the work calls `leave` when it needs its place no more. It is not begun when the request is
 * given up while it waits (`unavailable`), or its client leaves (`clientLeft`).
 */
export function inQueue(
  { ctx, enter }: Queued,
  work: (leave: Leave) => Promise<void>,
): Promise<void> {
  let begun: Promise<void> | undefined
  let settle = (_: Promise<void>): void => undefined
  const leave = enter((leavePlace) => {
    begun = work(leavePlace)
    settle(begun)
  })
  if (begun) return begun
  return new Promise((resolve, reject) => {
    settle = resolve
    const end = (why: Error): void => {
      if (begun) return
      leave()
      reject(why)
    }
    ctx.state.giveUp = () =>
      end(new Failure('unavailable', 'The request was given up before its turn came.'))
    whenClosed(ctx.res, () => end(clientLeft))
  })
}
