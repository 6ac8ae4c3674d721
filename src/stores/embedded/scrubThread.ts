/** The thread that scrubs a file once, until it is told to end. */

import { parentPort, workerData } from 'node:worker_threads'
import type { ScrubOptions } from './scrubInPieces.ts'
import { scrubLog } from './scrubLog.ts'
import { scrubViews } from './scrubViews.ts'

const scrubs = { log: scrubLog, views: scrubViews } as const

/** What can be scrubbed. */
export type Scrubbed = keyof typeof scrubs

/** What was found of it. */
export type Finding<Of extends Scrubbed> = Awaited<ReturnType<(typeof scrubs)[Of]>>

export interface ScrubStart {
  readonly of: Scrubbed
  readonly file: string
}

/** Whoever answers has the processors first. */
const timeParts = 5

const port = parentPort
if (port) {
  const closing = new AbortController()
  port.once('message', () => closing.abort())
  const { of, file } = workerData as ScrubStart
  const options: ScrubOptions = { file, signal: closing.signal, timeParts }
  void scrubs[of](options).then((finding) => {
    port.postMessage(finding)
    port.close()
  })
}
