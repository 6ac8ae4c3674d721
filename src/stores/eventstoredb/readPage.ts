/** Reads one page of the log of EventStoreDB, complete or not at all; retries a lost connection. */

import { finished } from 'node:stream/promises'
import { Failure } from '../../domain/failure.ts'
import { charsOf } from '../eventStore.ts'
import type { Connection, Line } from './connection.ts'
import { type PlacedEvent, placedEventOf } from './messages.ts'
import { openReadInTime } from './openReadInTime.ts'
import {
  codeOf,
  damagedLog,
  exceptionOf,
  isDenied,
  isTooLate,
  unreachable,
} from './protocolErrors.ts'
import type { ReadReq, ReadResp } from './wire.ts'

export interface ReadPace {
  /** How long one question may take. */
  readonly readMs: number
  /** How often it is asked before it is left to the caller. */
  readonly reads: number
}

export const readPace: ReadPace = Object.freeze({ readMs: 5_000, reads: 3 })

export interface PageReader {
  /**
   * The events of the answer in its order, or of its beginning when their texts are longer than `charsMax`; none for a stream that does
   * not exist. Throws `unavailable`.
   */
  readonly read: (request: ReadReq, charsMax?: number) => Promise<readonly PlacedEvent[]>
}

interface Question {
  readonly request: ReadReq
  readonly charsMax: number
  readonly readMs: number
}

/** Code of gRPC for a position that no event has. */
const invalidArgument = 3

export function pageReader(connection: Connection, { readMs, reads }: ReadPace): PageReader {
  const readSurely = async (
    question: Question,
    attempt: number,
  ): Promise<readonly PlacedEvent[]> => {
    const line = connection.line()
    const said = { anything: false }
    try {
      return await readOnce(line, question, said)
    } catch (error) {
      const failure = finalOf(error)
      if (failure) throw failure
      if (!said.anything && isSilence(error)) connection.giveUp(line)
      if (attempt >= reads) throw unreachable(error)
      return readSurely(question, attempt + 1)
    }
  }
  return {
    read: (request, charsMax = Number.POSITIVE_INFINITY) =>
      readSurely({ request, charsMax, readMs }, 1),
  }
}

/** What to throw for an error that asking again does not mend; undefined for all others. */
function finalOf(error: unknown): Error | undefined {
  if (error instanceof Failure) return error
  if (isDenied(error)) return unreachable(error)
  if (exceptionOf(error) === 'stream-deleted') {
    return damagedLog('a stream of the service has been deleted for good')
  }
  if (codeOf(error) === invalidArgument) return damagedLog('it has no event at a position it had')
  return undefined
}

/** A server that was not found or has not answered; of what it says, or its end says, the client makes the best by itself. */
function isSilence(error: unknown): boolean {
  return isTooLate(error) || codeOf(error) === undefined
}

async function readOnce(
  line: Line,
  { request, charsMax, readMs }: Question,
  said: { anything: boolean },
): Promise<readonly PlacedEvent[]> {
  const events: PlacedEvent[] = []
  const stream = await openReadInTime(line, { request, deadlineMs: readMs, findMs: readMs })
  let chars = 0
  let trouble: unknown
  stream.on('data', (response: ReadResp) => {
    said.anything = true
    if (chars >= charsMax || trouble !== undefined) return
    try {
      const placed = placedEventOf(response)
      if (placed) {
        events.push(placed)
        chars += charsOf([placed.event])
      }
    } catch (error) {
      trouble = error
    }
    if (chars >= charsMax) stream.cancel()
  })
  try {
    await finished(stream)
  } catch (error) {
    if (chars < charsMax) throw error
  }
  if (trouble !== undefined) throw trouble
  return events
}
