/** What a request may hold of what all callers share, and when it is served. */

import type { Context } from './context.ts'
import type { WrittenJson } from './jsonWriting.ts'

export interface Admission {
  /**
   * Makes room for the body of an identified caller, of at most so many bytes, before any of it is read. Throws `rate_limited` when
   * the account is sent too much at once, `unavailable` when all together are.
   */
  readonly receive: (ctx: Context, bytesMax: number) => ReceivedBody
  /**
   * Waits, within limits, until the read models have passed the position; no place is taken meanwhile. Throws `invalid_request` for a
   * position that the log does not have, `rate_limited` when too much of the account waits, `unavailable`.
   */
  readonly reach: (ctx: Context, minPosition: number) => Promise<void>
  /**
   * Serves the request in a place of its account, as soon as there is one. Work that only waits from now on says so: its place is then
   * given back, unless too much of the account waits already. Throws `rate_limited` when the account has too much under way,
   * `unavailable` when all together have.
   */
  readonly serve: (ctx: Context, work: (letGo: () => void) => Promise<void>) => Promise<void>
  /** Writes an answer, others having their turns between its pieces. */
  readonly write: (ctx: Context, pieces: Generator<undefined, WrittenJson>) => Promise<WrittenJson>
}

/** Room for a body. */
interface ReceivedBody {
  /** To be called with what has arrived of it: that much is held from now on. */
  readonly arrived: (bytes: number) => void
  /** To be called when nothing of it is held any more. */
  readonly done: () => void
}

const nothingHeld: ReceivedBody = { arrived: () => {}, done: () => {} }

/** For those who wait behind nobody: health and metrics. */
export const alwaysAdmitted: Admission = {
  receive: () => nothingHeld,
  reach: async () => {},
  serve: (_, work) => work(() => {}),
  write: async (_, pieces) => {
    for (;;) {
      const { done, value } = pieces.next()
      if (done) return value
    }
  },
}
