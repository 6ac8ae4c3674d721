/** Shares one EventStoreDB client, and replaces it when it stops answering. */

import { type AppendCall, appendCall } from './appends/appendCall.ts'
import { closedLog } from './protocolErrors.ts'
import type { Wire } from './wire.ts'

/** What there is of a client. */
export interface Line extends Pick<Wire, 'openRead' | 'isModern'>, AppendCall {}

export interface Connection {
  /** The client of now, made when there is none. Throws `unavailable` when the connection is closed. */
  readonly line: () => Line
  /** Ends the calls of this client, if it is still in use: the next call is made by a new one. */
  readonly giveUp: (line: Line) => void
  /** Takes no more calls, and ends those under way. */
  readonly close: () => Promise<void>
}

interface InUse {
  readonly line: Line
  readonly wire: Wire
}

/** A connection whose clients `open` makes; it is told how many there were before. */
export function openConnection(open: (generation: number) => Wire): Connection {
  let inUse: InUse | undefined
  let closed = false
  let generation = 0
  const ending = new Set<Promise<void>>()

  const end = (wire: Wire): void => {
    const ended = wire.dispose().finally(() => ending.delete(ended))
    ending.add(ended)
  }
  const giveUp = (line: Line): void => {
    if (inUse?.line !== line) return
    const { wire } = inUse
    inUse = undefined
    end(wire)
  }
  const connect = (): InUse => {
    const wire = open(generation)
    generation += 1
    const appends = appendCall(wire, () => giveUp(line))
    const line: Line = { openRead: wire.openRead, isModern: wire.isModern, send: appends.send }
    return { line, wire }
  }

  return {
    line: () => {
      if (closed) throw closedLog()
      inUse ??= connect()
      return inUse.line
    },
    giveUp,
    close: async () => {
      closed = true
      if (inUse) end(inUse.wire)
      inUse = undefined
      await Promise.all(ending)
    },
  }
}
