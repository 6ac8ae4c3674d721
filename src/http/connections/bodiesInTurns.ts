/** Long bodies come in turn between those who send them: reading costs the thread time, also of one that nobody wants. */

import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Arrivals } from './knownSenders.ts'

/** Bytes of a body after which no more of it is read before a turn of its sender: what the system hands over at once. */
export const pieceBytes = 64 * 1024
/** Bodies of one sender that are read on in one turn. */
export const bodiesOfTurn = 2

/**
 * The requests of a server whose bodies are read a piece at a time. Without it the event loop reads up to two mebibytes of each
 * connection before anybody else has a turn.
 */
export function bodiesInTurns({ senders, turns }: Arrivals): typeof IncomingMessage {
  /** Of each sender, by its key, how to read on what waits for a turn. */
  const waiting = new Map<string, Set<() => void>>()
  const goOn = (key: string): void => {
    const line = waiting.get(key) ?? new Set()
    for (const readOn of [...line].slice(0, bodiesOfTurn)) {
      line.delete(readOn)
      readOn()
    }
    if (line.size === 0) waiting.delete(key)
    else expect(key)
  }
  const expect = (key: string): void => turns.next(() => turns.enter(key, () => goOn(key)))
  const wait = (key: string, readOn: () => void): void => {
    const line = waiting.get(key)
    if (line) line.add(readOn)
    else {
      waiting.set(key, new Set([readOn]))
      expect(key)
    }
  }

  return class BodyInTurns extends IncomingMessage {
    /** Bytes that have come since its last turn. */
    #bytes = 0
    #waits = false
    /** Whether somebody asked for more while it waits. */
    #isAsked = false

    /** Also takes what has come; false when no more may come for now. */
    override push(chunk: Buffer | null): boolean {
      const hasRoom = super.push(chunk)
      if (chunk === null) return hasRoom
      this.#bytes += chunk.length
      if (this.#bytes < pieceBytes) return hasRoom
      if (!this.#waits) this.#wait()
      return false
    }

    override _read(size: number): void {
      if (this.#waits) this.#isAsked = true
      else super._read(size)
    }

    #wait(): void {
      this.#waits = true
      const { authorization } = this.headers
      const address = (): string | undefined => this.socket.remoteAddress
      wait(senders.of({ authorization, address, monitors: false }), () => this.#readOn())
    }

    #readOn(): void {
      this.#waits = false
      this.#bytes = 0
      if (!this.#isAsked) return
      this.#isAsked = false
      super._read(pieceBytes)
    }
  }
}

/** Has what nobody reads of a request be thrown away in turns as well, where Node would take it as fast as it comes. */
export function discardInTurns(req: IncomingMessage, res: ServerResponse): void {
  res.prependOnceListener('finish', () => {
    if (!req.complete && req.readableFlowing === null) req.resume()
  })
}
