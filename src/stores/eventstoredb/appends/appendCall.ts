/**
 * Sends appends over one gRPC call and matches each answer to its append by id.
 * Each append has its own timeout; an answer that comes after it is ignored.
 */

import { randomUUID } from 'node:crypto'
import { type AppendMessage, appendRequest } from '../messages.ts'
import type { BatchAppendResp, Wire } from '../wire.ts'
import { type AppendOutcome, outcomeOf, outcomeOfError, unknown } from './appendOutcome.ts'

export interface AppendCall {
  /** Settles with what became of it, at the latest after this time; never rejects. */
  readonly send: (append: AppendMessage['append'], timeoutMs: number) => Promise<AppendOutcome>
}

interface Waiting {
  readonly events: number
  readonly settle: (outcome: AppendOutcome) => void
}

/** An open call and who waits in it. */
interface Open {
  readonly stream: Awaited<ReturnType<Wire['openAppends']>>
  readonly waiting: Map<string, Waiting>
  heard: number
}

/**
 * The appends of a client. `onSilence` is called when an append timed out and no other was answered meanwhile: the connection or the server
 * is dead.
 */
export function appendCall(wire: Pick<Wire, 'openAppends'>, onSilence: () => void): AppendCall {
  let opening: Promise<Open> | undefined
  const close = (closed: Promise<Open>): void => {
    if (opening === closed) opening = undefined
  }
  const current = (): Promise<Open> => {
    if (opening) return opening
    const opened = open(wire, () => close(opened))
    opened.catch(() => close(opened))
    opening = opened
    return opened
  }

  return {
    send: (append, timeoutMs) =>
      new Promise((resolve) => {
        let call: Open | undefined
        let heard = 0
        let isSettled = false
        const id = randomUUID()
        const settle = (outcome: AppendOutcome): void => {
          isSettled = true
          clearTimeout(timer)
          call?.waiting.delete(id)
          resolve(outcome)
        }
        const timer = setTimeout(() => {
          settle(unknown(new Error(`EventStoreDB has not answered an append in ${timeoutMs} ms`)))
          if (call === undefined || call.heard === heard) onSilence()
        }, timeoutMs)
        const write = (opened: Open): void => {
          // the server was found too late: what nobody waits for any more must not be written
          if (isSettled) return
          call = opened
          heard = opened.heard
          opened.waiting.set(id, { events: append.events.length, settle })
          opened.stream.write(appendRequest({ append, id, nowMs: Date.now() }))
        }
        const ended = (error: unknown) => settle(outcomeOfError(errorOf(error)))
        void current().then(write).catch(ended)
      }),
  }
}

async function open(wire: Pick<Wire, 'openAppends'>, onEnd: () => void): Promise<Open> {
  const stream = await wire.openAppends()
  const call: Open = { stream, waiting: new Map(), heard: 0 }
  const end = (error: Error): void => {
    onEnd()
    for (const { settle } of [...call.waiting.values()]) settle(outcomeOfError(error))
  }
  stream.on('data', (response: BatchAppendResp) => {
    call.heard += 1
    const id = response.getCorrelationId()?.getString() ?? ''
    const waiting = call.waiting.get(id)
    waiting?.settle(outcomeSurely(response, waiting.events))
  })
  stream.on('error', end)
  stream.on('end', () => {
    stream.end()
    end(new Error('EventStoreDB has ended the call'))
  })
  return call
}

function outcomeSurely(response: BatchAppendResp, events: number): AppendOutcome {
  try {
    return outcomeOf(response, events)
  } catch (error) {
    return { kind: 'refused', failure: errorOf(error) }
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
