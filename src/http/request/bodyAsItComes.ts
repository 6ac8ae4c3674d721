/** Bodies that are read while they arrive, however long they are, as long as something of them arrives. */

import type { IncomingMessage } from 'node:http'

interface Coming {
  /** Whether its reader waits for the client, not the client for its reader. */
  isAwaited: boolean
  /** Bytes of it that have come since it was last asked. */
  bytes: number
}

/** What is to come in that time: whoever sends less keeps for itself what others wait for. */
const leastBytes = 2 * 1024

const coming = new WeakMap<IncomingMessage, Coming>()

/** The body piece by piece. What its reader leaves is thrown away, so that the client can still be answered. */
export async function* bodyAsItComes(req: IncomingMessage): AsyncGenerator<Buffer> {
  // what it waited for before is not the client's fault
  const state = { isAwaited: true, bytes: leastBytes }
  coming.set(req, state)
  try {
    for await (const piece of req.iterator({ destroyOnReturn: false })) {
      const bytes = piece as Buffer
      state.isAwaited = false
      state.bytes += bytes.byteLength
      yield bytes
      state.isAwaited = true
    }
  } finally {
    coming.delete(req)
    req.resume()
  }
}

/** Whether the body is read while it arrives, and has come on since this was asked last, or would have if its reader were not what is waited for. */
export function goesOn(req: IncomingMessage): boolean {
  const state = coming.get(req)
  if (!state) return false
  const isGoingOn = state.bytes >= leastBytes || !state.isAwaited
  state.bytes = 0
  return isGoingOn
}
