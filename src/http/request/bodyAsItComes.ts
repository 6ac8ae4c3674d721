/** Bodies that are read while they arrive, however long they are, as long as something of them arrives. */

import type { IncomingMessage } from 'node:http'

interface Coming {
  /** Whether its reader waits for the client, not the client for its reader. */
  isAwaited: boolean
  /** Whether something of it has come since it was last asked. */
  hasCome: boolean
}

const coming = new WeakMap<IncomingMessage, Coming>()

/** The body piece by piece. What its reader leaves is thrown away, so that the client can still be answered. */
export async function* bodyAsItComes(req: IncomingMessage): AsyncGenerator<Buffer> {
  const state = { isAwaited: true, hasCome: true }
  coming.set(req, state)
  try {
    for await (const piece of req.iterator({ destroyOnReturn: false })) {
      Object.assign(state, { isAwaited: false, hasCome: true })
      yield piece as Buffer
      state.isAwaited = true
    }
  } finally {
    coming.delete(req)
    req.resume()
  }
}

/** Whether the body is read while it arrives, and its client has not kept its reader waiting for all the time since this was asked last. */
export function goesOn(req: IncomingMessage): boolean {
  const state = coming.get(req)
  if (!state) return false
  const isGoingOn = state.hasCome || !state.isAwaited
  state.hasCome = false
  return isGoingOn
}
