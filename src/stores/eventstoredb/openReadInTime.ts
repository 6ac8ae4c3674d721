/** Opens a read with a time limit for finding the server, since the client's own limit is too long. */

import type { Line } from './connection.ts'
import type { ReadReq, ReadStream } from './wire.ts'

export interface OpenRead {
  readonly request: ReadReq
  /** How long the call may take; as long as it is not cancelled when undefined. */
  readonly deadlineMs?: number
  /** How long finding the server may take. */
  readonly findMs: number
}

/** Rejects when no server was found in time; one that is found later is not asked. */
export async function openReadInTime(
  line: Pick<Line, 'openRead'>,
  { request, deadlineMs, findMs }: OpenRead,
): Promise<ReadStream> {
  const opening = line.openRead(request, deadlineMs)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      opening.then((stream) => stream.cancel()).catch(() => undefined)
      reject(new Error(`no EventStoreDB was found in ${findMs} ms`))
    }, findMs)
  })
  try {
    return await Promise.race([opening, late])
  } finally {
    clearTimeout(timer)
  }
}
